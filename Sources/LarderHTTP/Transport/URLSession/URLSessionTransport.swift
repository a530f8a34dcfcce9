import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The transport over a `URLSession` that is given, for code that has one: with a stub's protocol classes, say, or on
/// systems whose URLSession does more than libcurl.
///
/// ```swift
/// let client = HTTPClient(baseURL: api, transport: URLSessionTransport(session))
/// ```
///
/// What it can say and do is what a session can:
/// - It follows no redirect; the client does. The session's own delegate hears nothing of these tasks.
/// - A session does not tell how far a request got. Unless the failure itself excludes it (no name, nobody listening,
///   no trust), the request is taken for sent.
/// - On Linux Foundation's session, which is made of libcurl, sends a request again by itself, whatever its method, where a
///   connection that was kept is closed before an answer. So a POST may arrive twice though the client sends it once. What
///   must not be done twice goes by ``CurlTransport``, or has an ``HTTPRequest/idempotencyKey``.
/// - For the same reason no failure excludes there that the request was sent, be it that its name has no address or that
///   nobody listens, once something was answered on this transport, or two requests by HTTPS were under way at once: it may
///   be the second time that has failed.
/// - On Linux a session takes a compressed body for whole whose compression breaks off, where its length is as it says. Where
///   that matters, ask for none (`Accept-Encoding: identity`), or go by ``CurlTransport``. The progress of what comes
///   counts what it has become, and knows no whole.
/// - On Linux the whole body is in memory before the head is told; the limit of the body is checked while it comes. Pins,
///   proxies and authorities are the session's own concern.
/// - The deadlines for connecting, the first byte and silence are one: the session's time-out, in whole seconds on Linux.
///   The total is kept to the millisecond, and is of the making of the body, too, all of which is in memory before anything
///   is sent.
public final class URLSessionTransport: HTTPTransport {
  /// Held, since what its configuration names may live as long as it does.
  private let originalSession: URLSession
  private let session: URLSession
  private let delegate = URLSessionTransportDelegate()

  /// Makes a transport that works as a session does: with its configuration, and connections of its own.
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

  /// The whole of a body: a session's own streams block a thread for as long as they wait.
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
          // A body may neither end nor hear that nobody wants it any more.
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
