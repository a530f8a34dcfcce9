import Foundation

/// Makes the address of a request from a base, a path and a query (RFC 3986).
enum URLBuilder {
  /// The address.
  ///
  /// The base's own path stays in front of the path, with one slash between them.
  /// - Parameter prefix: The base, as ``prefix(of:)`` gives it.
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

  /// The text of a base that can be one.
  static func prefix(of base: URL) -> String? {
    let base = base.absoluteURL
    guard isHTTP(base), base.user() == nil, base.password() == nil, base.query() == nil, base.fragment() == nil
    else { return nil }
    return base.absoluteString
  }

  /// Whether an address can be asked at all.
  static func isHTTP(_ url: URL) -> Bool {
    guard url.hasScheme("https") || url.hasScheme("http") else { return false }
    guard let host = url.host(), !host.isEmpty else { return false }
    return url.port.map(URLAuthority.isPort) ?? true
  }
}

extension URL {
  /// Whether this is its scheme, whatever their case (RFC 3986, section 3.1).
  ///
  /// Looked for where it stands: each request asks several times, and each time it would be a string of its own.
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
