import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A transport that uses a given `URLSession`, for code that has one: with a stub's protocol classes, or on systems whose
/// URLSession offers more than libcurl.
///
/// ```swift
/// let client = HTTPClient(baseURL: api, transport: URLSessionTransport(session))
/// ```
///
/// Its abilities are those of a session:
/// - It follows no redirect; the client does. The session's own delegate receives no events of these tasks.
/// - A session does not report whether a request was sent. Unless the failure itself excludes it (an unknown name, a refused
///   connection, an untrusted certificate), the request counts as sent.
/// - On Linux Foundation's session, which uses libcurl, sends a request again by itself, whatever its method, if a reused
///   connection is closed before a response. So a POST may arrive twice although the client sends it once. For a request that
///   must not be processed twice, use ``CurlTransport``, or set an ``HTTPRequest/idempotencyKey``.
/// - For the same reason no failure proves there that the request was not sent, not even an unknown name or a refused
///   connection, once this transport has received a response, or has had two requests over HTTPS at the same time: the
///   failure may be that of the second sending.
/// - On Linux a session accepts a compressed body that breaks off, if its length is as declared. If that matters, request no
///   compression (`Accept-Encoding: identity`), or use ``CurlTransport``. The download progress counts decompressed bytes,
///   and has no total.
/// - On Linux the whole body is in memory before the head is available; the limit of the body is checked while it arrives.
///   Pins, proxies and authorities are settings of the session.
/// - The deadlines for connecting, the first byte and silence are one: the session's time-out, in whole seconds on Linux. The
///   total deadline is precise to the millisecond, and includes producing the body, all of which is in memory before anything
///   is sent.
public final class URLSessionTransport: HTTPTransport {
  /// Retained, since objects in its configuration may depend on its lifetime.
  private let originalSession: URLSession
  private let session: URLSession
  private let delegate = URLSessionTransportDelegate()

  /// Creates a transport with a session's configuration, and with connections of its own.
  ///
  /// - Parameter session: The session whose configuration is used.
  public init(_ session: URLSession) {
    originalSession = session
    self.session = URLSession(configuration: session.configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  nonisolated(nonsending) public func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
    if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
    try request.validate()
    return try await URLSessionExchange(request).run(on: session, delegate: delegate) { () async throws(HTTPError) in
      try await URLSessionTransport.makeURLRequest(request)
    }
  }

  private static func makeURLRequest(_ request: HTTPRequest) async throws(HTTPError) -> URLRequest {
    var prepared = URLRequest(url: request.url)
    prepared.httpMethod = request.method.rawValue
    prepared.cachePolicy = .reloadIgnoringLocalCacheData
    for field in request.headers.fields { prepared.addValue(field.value, forHTTPHeaderField: field.name) }
    let silences = [request.deadlines.firstByte, request.deadlines.idle].compactMap { $0 }
    // Rounded up: on Linux a time-out of less than a second fails at once.
    if let silence = silences.max() { prepared.timeoutInterval = max(1, silence.seconds.rounded(.up)) }
    guard let body = request.body else { return prepared }
    if request.headers["Content-Type"] == nil, let type = body.contentType {
      prepared.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    prepared.httpBody = try await bytes(of: body)
    return prepared
  }

  /// Returns the whole body: a session's own body streams block a thread while they wait.
  private static func bytes(of body: RequestBody) async throws(HTTPError) -> Data {
    do {
      switch body.content {
      case .data(let data): return data
      case .encodable: throw HTTPError(.invalidRequest(.body), delivery: .notSent)
      case .file(let url): return try Data(contentsOf: url)
      case .stream(let length, let make):
        let parts = make()
        var whole = Data()
        while let part = try await parts() {
          // A body may neither end nor notice its cancellation.
          if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
          whole.append(part)
        }
        if let length, Int64(whole.count) != length { throw HTTPError(.notSent(.requestBody), delivery: .notSent) }
        return whole
      }
    } catch {
      throw error as? HTTPError ?? HTTPError(.notSent(.requestBody), delivery: .notSent, underlying: error)
    }
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
