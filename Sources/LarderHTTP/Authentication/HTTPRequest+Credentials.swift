internal import Foundation

extension HTTPRequest {
  /// Whether the URL contains a name or a password (`https://user:password@host`). Searches the text, since few URLs do.
  var hasCredentialsInURL: Bool {
    url.absoluteString.utf8.contains(UInt8(ascii: "@")) && (url.user() ?? url.password()) != nil
  }

  /// Moves a name and a password from the URL into the header, where the rules of credentials apply to them. A request with
  /// an `Authorization` field keeps that.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)`` if the URL or the credentials are invalid.
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
