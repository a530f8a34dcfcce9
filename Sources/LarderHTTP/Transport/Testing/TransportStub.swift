public import Foundation
internal import Synchronization

/// A transport for tests, which answers by a closure and sends nothing.
///
/// ```swift
/// let stub = TransportStub { request in .json(#"[{"id": 1}]"#) }
/// let client = HTTPClient(baseURL: api, transport: stub)
/// #expect(stub.requests.map(\.method) == [.get])
/// ```
///
/// A closure that throws an ``HTTPError`` fails the request with it; a client retries as it would with a network.
public final class TransportStub: HTTPTransport {
  /// What answers a request. It may wait, and is cancelled with the request.
  public typealias Handler = @Sendable (HTTPRequest) async throws(HTTPError) -> Response

  /// A response.
  public struct Response: Sendable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: Data

    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// JSON, given as text.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> Response {
      .text(text, type: "application/json", status: status, headers: headers)
    }

    /// Text of a type.
    public static func text(
      _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> Response {
      var fields: HTTPHeaders = ["Content-Type": type]
      fields.merge(headers)
      return Response(status: status, headers: fields, body: Data(text.utf8))
    }

    /// A status, and nothing else.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Response {
      Response(status: status, headers: headers)
    }
  }

  private let handler: Handler
  private let receivedRequests = Mutex<[HTTPRequest]>([])

  public init(_ handler: @escaping Handler) { self.handler = handler }

  /// The requests that have come, in their order.
  public var requests: [HTTPRequest] { receivedRequests.withLock { $0 } }

  nonisolated(nonsending) public func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
    if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
    // What no transport sends, this one does not take either.
    try request.validate()
    receivedRequests.withLock { $0.append(request) }
    // What is there already is sent at once; what would be made while it is sent is not asked for.
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
