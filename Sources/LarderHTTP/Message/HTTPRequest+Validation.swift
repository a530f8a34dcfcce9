import Foundation

extension HTTPRequest {
  /// The names of fields that are reserved for the transport, since they control the framing.
  private static let reserved = ["Content-Length", "Transfer-Encoding", "Connection", "Upgrade"]

  static func isReserved(_ name: String) -> Bool { reserved.contains { ASCIIText.equal($0, name) } }

  /// Checks the rules that hold for every transport, before anything is sent.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``.
  func validate() throws(HTTPError) {
    // Credentials have been moved to the header before, where they go to one origin alone.
    guard URLBuilder.isHTTP(url), !hasCredentialsInURL else {
      throw HTTPError(.invalidRequest(.url), delivery: .notSent)
    }
    guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(ASCIIText.isToken) else {
      throw HTTPError(.invalidRequest(.method), delivery: .notSent)
    }
    if let field = headers.firstInvalidField {
      // A text that is no valid name may contain anything, and is not shown.
      let name = field.name.utf8.allSatisfy(ASCIIText.isToken) ? field.name : "?"
      throw HTTPError(.invalidRequest(.header(name: name)), delivery: .notSent)
    }
    // Servers would take a body after a HEAD for the next request, and libcurl would wait for a response's body.
    if method == .head, body != nil { throw HTTPError(.invalidRequest(.body), delivery: .notSent) }
    // The body's media type becomes a header field, too.
    if let type = body?.contentType, !HTTPHeaders.isValidValue(type) {
      throw HTTPError(.invalidRequest(.header(name: "Content-Type")), delivery: .notSent)
    }
    if case .file(let file)? = body?.content, !file.canBeSent {
      throw HTTPError(.invalidRequest(.body), delivery: .notSent)
    }
    for field in headers.fields {
      guard let name = Self.reserved.first(where: { ASCIIText.equal($0, field.name) }) else { continue }
      throw HTTPError(.invalidRequest(.header(name: name)), delivery: .notSent)
    }
  }
}
