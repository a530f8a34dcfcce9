import Foundation

/// A URL reference, as in `Location` and `Link`, and its resolution (RFC 3986, section 5).
struct URLReference: Equatable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Parses a text by the expression of appendix B. Invalid bytes of a part are encoded, as UTF-8: servers send brackets, spaces,
  /// lone percent signs and letters of any kind unencoded. Encoded bytes stay.
  init(_ text: String) { self.init(bytes: Array(text.utf8)) }

  /// Parses bytes, which may be in any encoding.
  init(bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.first, ASCIIText.isWhitespace(first) { rest = rest.dropFirst() }
    while let last = rest.last, ASCIIText.isWhitespace(last) { rest = rest.dropLast() }
    func take(before end: UInt8) -> ArraySlice<UInt8>? {
      guard let place = rest.firstIndex(of: end) else { return nil }
      let taken = rest[(place + 1)...]
      rest = rest[..<place]
      return taken
    }
    fragment = take(before: 0x23).map { PercentEncoding.repaired($0, allowing: PercentEncoding.isQueryCharacter) }
    query = take(before: 0x3F).map { PercentEncoding.repaired($0, allowing: PercentEncoding.isQueryCharacter) }
    if let colon = rest.firstIndex(of: 0x3A), Self.isScheme(rest[..<colon]) {
      scheme = String(decoding: rest[..<colon].map(ASCIIText.lowercased), as: UTF8.self)
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: [0x2F, 0x2F]) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: 0x2F) ?? rest.endIndex
      // Brackets are part of an IPv6 host.
      authority = PercentEncoding.repaired(rest[..<end]) {
        PercentEncoding.isPathCharacter($0) || $0 == 0x5B || $0 == 0x5D
      }
      rest = rest[end...]
    }
    path = PercentEncoding.repaired(rest) { PercentEncoding.isPathCharacter($0) || $0 == 0x2F }
  }

  private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, ASCIIText.lowercased(first) >= 0x61, ASCIIText.lowercased(first) <= 0x7A else {
      return false
    }
    return text.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
      default: false
      }
    }
  }

  /// Returns the target of this reference in a response of `base` (section 5.2.2).
  func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme != nil {
      target.path = Self.removingDotSegments(path)
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = Self.removingDotSegments(path)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.hasPrefix("/") {
      target.path = Self.removingDotSegments(path)
    } else {
      target.path = Self.removingDotSegments(base.merging(path))
    }
    return target
  }

  /// Returns a relative path merged with this reference's path (section 5.2.3).
  private func merging(_ relative: String) -> String {
    if authority != nil, path.isEmpty { return "/" + relative }
    guard let slash = path.lastIndex(of: "/") else { return relative }
    return path[...slash] + relative
  }

  /// Returns a path without dot segments (section 5.2.4).
  static func removingDotSegments(_ path: String) -> String {
    var input = path[...]
    var output: [Substring] = []
    while !input.isEmpty {
      if input.hasPrefix("../") {
        input = input.dropFirst(3)
      } else if input.hasPrefix("./") {
        input = input.dropFirst(2)
      } else if input.hasPrefix("/./") {
        input = input.dropFirst(2)
      } else if input == "/." {
        input = "/"
      } else if input.hasPrefix("/../") {
        input = input.dropFirst(3)
        _ = output.popLast()
      } else if input == "/.." {
        input = "/"
        _ = output.popLast()
      } else if input == "." || input == ".." {
        input = ""
      } else {
        let start = input.index(after: input.startIndex)
        let end = input[start...].firstIndex(of: "/") ?? input.endIndex
        output.append(input[..<end])
        input = input[end...]
      }
    }
    return output.joined()
  }

  var text: String {
    var text = scheme.map { $0 + ":" } ?? ""
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  /// Returns the URL of a reference in a response of `base`; nil if it is invalid, or not of HTTP. It has no fragment, which is
  /// not sent, and no credentials, which no server passes to another.
  static func httpURL(_ reference: URLReference, from base: URL) -> URL? {
    var target = reference.resolved(against: URLReference(base.absoluteString))
    target.fragment = nil
    guard target.isHTTP, var authority = target.authority.flatMap(URLAuthority.init) else { return nil }
    authority.userInfo = nil
    target.authority = authority.text
    guard let url = URL(string: target.text), URLBuilder.isHTTP(url) else { return nil }
    return url
  }

  static func httpURL(_ reference: String, from base: URL) -> URL? { httpURL(URLReference(reference), from: base) }

  /// Returns the URL of a reference with any scheme, and with its fragment: for links, which are not requested here.
  static func anyURL(_ reference: [UInt8], from base: URL) -> URL? {
    var target = URLReference(bytes: reference).resolved(against: URLReference(base.absoluteString))
    if target.isHTTP {
      guard let authority = target.authority.flatMap(URLAuthority.init) else { return nil }
      target.authority = authority.text
    }
    return URL(string: target.text)
  }

  private var isHTTP: Bool { scheme == "http" || scheme == "https" }
}

extension URL {
  /// Returns whether another URL has the same scheme, host and port (RFC 6454).
  func hasSameOrigin(as other: URL) -> Bool {
    guard let scheme, let otherScheme = other.scheme, let host = host(), let otherHost = other.host() else {
      return false
    }
    return ASCIIText.equal(scheme, otherScheme) && ASCIIText.equal(host, otherHost)
      && effectivePort == other.effectivePort
  }

  /// The port, by default that of the scheme.
  var effectivePort: Int? {
    port ?? scheme.map { ASCIIText.equal($0, "https") ? 443 : 80 }
  }
}
