import Foundation
import LarderHTTP
import LarderTesting

extension LoopbackServer.Response {
  /// A whole response with its tag; 304 and no body for a request that has it (RFC 9110, section 13.1.2).
  ///
  /// - Parameter body: Made only if it is sent.
  static func bytes(
    _ body: @autoclosure () -> Data, type: String, tag: EntityTag, to request: LoopbackServer.Request
  ) -> LoopbackServer.Response {
    let headers = ["ETag": tag.description]
    return request.has(tag)
      ? .bytes(Data(), type: type, status: 304, headers: headers) : .bytes(body(), type: type, headers: headers)
  }
}

extension LoopbackServer.Request {
  /// Whether `If-None-Match` names a tag, weakly compared.
  ///
  /// A comma may also stand within a tag. What such a tag is cut into is none, as it lacks a quote.
  fileprivate func has(_ tag: EntityTag) -> Bool {
    let names = (headers["if-none-match"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return names == ["*"] || names.compactMap(EntityTag.init).contains { $0.weaklyMatches(tag) }
  }
}
