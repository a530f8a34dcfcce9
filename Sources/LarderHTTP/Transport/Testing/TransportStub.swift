public import Foundation
internal import Synchronization

/// A transport for tests, which responds with a closure and sends nothing.
///
/// ```swift
/// let stub = TransportStub { request in .json(#"[{"id": 1}]"#) }
/// let client = HTTPClient(baseURL: api, transport: stub)
/// #expect(stub.requests.map(\.method) == [.get])
/// ```
///
/// An ``HTTPError`` from the closure fails the request; a client retries as it would with a network.
public final class TransportStub: HTTPTransport {
  /// A function that returns the response to a request. It may wait, and is cancelled together with the request.
  public typealias Handler = @Sendable (HTTPRequest) async throws(HTTPError) -> Response

  /// A response of the stub.
  public struct Response: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data

    /// Creates a response.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// Returns a response of JSON, given as text.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> Response {
      .text(text, type: "application/json", status: status, headers: headers)
    }

    /// Returns a response of text.
    public static func text(
      _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> Response {
      var fields: HTTPHeaders = ["Content-Type": type]
      fields.merge(headers)
      return Response(status: status, headers: fields, body: Data(text.utf8))
    }

    /// Returns a response of a status alone.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Response {
      Response(status: status, headers: headers)
    }
  }

  private let handler: Handler
  private let receivedRequests = Mutex<[HTTPRequest]>([])

  /// Creates a stub.
  ///
  /// - Parameter handler: Returns the response to each request.
  public init(_ handler: @escaping Handler) { self.handler = handler }

  /// The requests received so far, in order.
  public var requests: [HTTPRequest] { receivedRequests.withLock { $0 } }

  nonisolated(nonsending) public func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
    if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
    // The stub rejects the same requests as every transport.
    try request.validate()
    receivedRequests.withLock { $0.append(request) }
    // The progress covers only data in memory. A stream is not read.
    if case .data(let data)? = request.body?.content {
      request.uploadProgress?(TransferProgress(bytes: Int64(data.count), total: Int64(data.count)))
    }
    let answer = try await handler(request)
    if Task.isCancelled { throw HTTPError(.cancelled, delivery: .maybeSent) }
    var metrics = HTTPMetrics()
    metrics.bodyBytes = Int64(answer.body.count)
    return StreamedResponse(
      head: ResponseHead(status: answer.status, headers: answer.headers, url: request.url),
      body: ResponseBody(answer.body, metrics: metrics))
  }
}
