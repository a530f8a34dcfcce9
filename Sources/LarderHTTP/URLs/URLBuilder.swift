import Foundation

/// A builder of URLs from a base, a path and a query (RFC 3986).
enum URLBuilder {
  /// Returns the URL.
  ///
  /// The base's own path comes before the path, with one slash between them.
  ///
  /// - Parameters:
  ///   - prefix: The base, as ``prefix(of:)`` returns it.
  ///   - path: The path below the base.
  ///   - query: The query items, if there are any.
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``.
  static func url(prefix: String?, path: EndpointPath, query: [URLQueryItem]?) throws(HTTPError) -> URL {
    if let problem = path.problem { throw HTTPError(.invalidRequest(problem), delivery: .notSent) }
    guard let prefix else { throw HTTPError(.invalidRequest(.url), delivery: .notSent) }
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

  /// Returns the text of a base; nil if it is invalid as a base.
  static func prefix(of base: URL) -> String? {
    let base = base.absoluteURL
    guard isHTTP(base), base.user() == nil, base.password() == nil, base.query() == nil, base.fragment() == nil
    else { return nil }
    return base.absoluteString
  }

  /// Returns whether a URL can be requested: it is of HTTP, and has a host and a valid port.
  static func isHTTP(_ url: URL) -> Bool {
    guard url.hasScheme("https") || url.hasScheme("http") else { return false }
    guard let host = url.host(), !host.isEmpty else { return false }
    return url.port.map(URLAuthority.isPort) ?? true
  }
}

extension URL {
  /// Returns whether the URL has this scheme, in any case (RFC 3986, section 3.1).
  ///
  /// Compared in place: each request calls this several times, and `scheme` would create a string each time.
  func hasScheme(_ scheme: String) -> Bool {
    var text = absoluteString
    return text.withUTF8 { text in
      guard text.count > scheme.utf8.count, text[scheme.utf8.count] == UInt8(ascii: ":") else { return false }
      var place = 0
      for byte in scheme.utf8 {
        if ASCIIText.lowercased(text[place]) != ASCIIText.lowercased(byte) { return false }
        place += 1
      }
      return true
    }
  }
}
