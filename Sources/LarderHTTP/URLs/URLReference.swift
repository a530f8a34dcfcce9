import Foundation

/// A reference to an address, as `Location` and `Link` have it, and its resolution (RFC 3986, section 5).
struct URLReference: Equatable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Takes a text apart, as the expression of appendix B does. Bytes that an address cannot have are encoded as UTF-8:
  /// servers send them unencoded.
  init(_ text: String) {
    var clean = ""
    let bytes = Array(ASCIIText.trimmed(text).utf8)
    PercentEncoding.append(bytes, to: &clean) { byte in
      switch byte {
      // Controls, blank, " < > \ ^ ` { | }, and what is not ASCII.
      case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...: false
      default: true
      }
    }
    var rest = clean[...]
    func take(before end: Character) -> Substring? {
      guard let place = rest.firstIndex(of: end) else { return nil }
      let taken = rest[rest.index(after: place)...]
      rest = rest[..<place]
      return taken
    }
    fragment = take(before: "#").map(String.init)
    query = take(before: "?").map(String.init)
    if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
      scheme = ASCIIText.lowercased(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, ASCIIText.lowercased(first) >= 0x61, ASCIIText.lowercased(first) <= 0x7A else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
      default: false
      }
    }
  }

  /// The target, where this reference stands in what `base` answered (section 5.2.2).
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

  /// Section 5.2.3.
  private func merging(_ relative: String) -> String {
    if authority != nil, path.isEmpty { return "/" + relative }
    guard let slash = path.lastIndex(of: "/") else { return relative }
    return path[...slash] + relative
  }

  /// Section 5.2.4.
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

  /// The address of a reference that `base` answered with; nil if it is none, or not of HTTP. Without a fragment, which
  /// is not sent.
  static func url(_ reference: String, from base: URL) -> URL? {
    var target = URLReference(reference).resolved(against: URLReference(base.absoluteString))
    target.fragment = nil
    guard let url = URL(string: target.text), URLBuilder.isHTTP(url) else { return nil }
    return url
  }

  /// The same of any scheme, and with its fragment: of what is not asked for, but named.
  static func address(_ reference: String, from base: URL) -> URL? {
    let target = URLReference(reference).resolved(against: URLReference(base.absoluteString))
    return URL(string: target.text)
  }
}

extension URL {
  /// Whether another address has the same scheme, host and port (RFC 6454).
  func hasSameOrigin(as other: URL) -> Bool {
    guard let scheme, let otherScheme = other.scheme, let host = host(), let otherHost = other.host() else {
      return false
    }
    return ASCIIText.equal(scheme, otherScheme) && ASCIIText.equal(host, otherHost)
      && effectivePort == other.effectivePort
  }

  /// The port, also where it is the scheme's own.
  var effectivePort: Int? {
    port ?? scheme.map { ASCIIText.equal($0, "https") ? 443 : 80 }
  }
}
