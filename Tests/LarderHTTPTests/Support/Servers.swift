import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Answers as they are on the wire.
enum Wire {
  static func response(
    _ body: String = "ok", status: String = "200 OK", type: String = "text/plain", headers: [String] = []
  ) -> String {
    (["HTTP/1.1 " + status, "Content-Type: " + type, "Content-Length: \(body.utf8.count)"] + headers)
      .joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  static func json(_ body: String, status: String = "200 OK", headers: [String] = []) -> String {
    response(body, status: status, type: "application/json", headers: headers)
  }
}

extension CurlTransport {
  /// One that the environment's proxies do not concern.
  static func direct() -> CurlTransport { direct { _ in } }

  static func direct(_ change: (inout Options) throws -> Void) rethrows -> CurlTransport {
    var options = Options()
    options.proxy = .none
    try change(&options)
    return CurlTransport(options: options)
  }
}

extension HTTPRequest {
  func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var changed = self
    change(&changed)
    return changed
  }
}

extension HTTPTransport {
  /// The whole of a response.
  func exchange(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await send(request)
    let body = try await response.body.collect()
    return HTTPResponse(head: response.head, body: body, metrics: response.body.metrics)
  }
}

/// The error of what is to fail; nil, and an issue, where it does not.
func failure<Result>(
  _ location: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  of work: () async throws(HTTPError) -> Result
) async -> HTTPError? {
  do throws(HTTPError) {
    _ = try await work()
    Issue.record("succeeded", sourceLocation: location)
    return nil
  } catch {
    return error
  }
}
