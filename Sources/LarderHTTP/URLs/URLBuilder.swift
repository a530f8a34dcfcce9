import Foundation

/// Makes the address of a request from a base, a path and a query (RFC 3986).
enum URLBuilder {
  /// The address.
  ///
  /// The base's own path stays in front of the path, with one slash between them.
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``.
  static func url(base: URL, path: EndpointPath, query: [URLQueryItem]?) throws(HTTPError) -> URL {
    if let problem = path.problem { throw HTTPError(.invalidRequest(problem), delivery: .notSent) }
    guard let prefix = prefix(of: base) else { throw HTTPError(.invalidRequest(.baseURL), delivery: .notSent) }
    var text = prefix
    if !path.encoded.isEmpty {
      if text.utf8.last == 0x2F { text.removeLast() }
      if path.encoded.utf8.first != 0x2F { text += "/" }
      text += path.encoded
    }
    if let query, !query.isEmpty { text += "?" + PercentEncoding.query(query) }
    guard let url = URL(string: text), url.absoluteString == text else {
      throw HTTPError(.invalidRequest(.path), delivery: .notSent)
    }
    return url
  }

  /// The text of a base that can be one.
  private static func prefix(of base: URL) -> String? {
    let base = base.absoluteURL
    guard isHTTP(base), base.user() == nil, base.password() == nil, base.query() == nil, base.fragment() == nil
    else { return nil }
    return base.absoluteString
  }

  /// Whether an address can be asked at all.
  static func isHTTP(_ url: URL) -> Bool {
    guard let scheme = url.scheme, ASCIIText.equal(scheme, "https") || ASCIIText.equal(scheme, "http") else {
      return false
    }
    return url.host().map { !$0.isEmpty } ?? false
  }
}
