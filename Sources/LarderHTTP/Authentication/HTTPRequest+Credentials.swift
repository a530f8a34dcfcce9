internal import Foundation

extension HTTPRequest {
  /// Whether the address has a name or a password in it (`https://user:password@host`). Looked for in its text: nearly none has.
  var hasCredentialsInURL: Bool {
    url.absoluteString.utf8.contains(UInt8(ascii: "@")) && (url.user() ?? url.password()) != nil
  }

  /// Moves what an address has of a name and a password into the header, where the rules of credentials hold for it. A
  /// request that says by its header who asks keeps that.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``.
  mutating func moveURLCredentialsToHeader() throws(HTTPError) {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw HTTPError(.invalidRequest(.url), delivery: .notSent)
    }
    let basic = BasicAuthentication(user: parts.user ?? "", password: parts.password ?? "")
    (parts.user, parts.password) = (nil, nil)
    guard let url = parts.url else { throw HTTPError(.invalidRequest(.url), delivery: .notSent) }
    self.url = url
    let before = headers
    try basic.authorize(&self)
    headers.markSecrets(since: before)
  }
}
