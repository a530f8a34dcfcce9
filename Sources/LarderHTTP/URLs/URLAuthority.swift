internal import Foundation

/// The authority of an HTTP URL: credentials, a host and a port (RFC 3986, section 3.2).
struct URLAuthority: Equatable {
  var userInfo: String?
  /// The host as it is looked up: letters outside of ASCII are in the form of DNS (RFC 5891).
  var host: String
  var port: Int?

  /// Parses an authority whose invalid bytes are encoded; nil if its host or its port is invalid.
  init?(_ text: String) {
    var rest = text[...]
    if let at = rest.lastIndex(of: "@") {
      userInfo = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    // The colons of an IPv6 address are within brackets.
    let end = rest.lastIndex(of: "]") ?? rest.startIndex
    if let colon = rest[end...].lastIndex(of: ":") {
      let digits = rest[rest.index(after: colon)...]
      if !digits.isEmpty {
        guard let number = ASCIIText.number(digits), let port = Int(exactly: number), Self.isPort(port) else {
          return nil
        }
        self.port = port
      }
      rest = rest[..<colon]
    }
    guard let host = Self.host(rest) else { return nil }
    self.host = host
  }

  /// Returns whether a number is a valid port.
  static func isPort(_ number: Int) -> Bool { (1...65_535).contains(number) }

  private static func host(_ text: Substring) -> String? {
    if text.first == "[" { return HostName.ipv6Address(text) == nil ? nil : String(text) }
    guard HostName.isName(text) else { return nil }
    guard text.contains("%") else { return String(text) }
    return text.removingPercentEncoding.flatMap { URL(string: "https://" + $0 + "/")?.host(percentEncoded: false) }
  }

  var text: String { (userInfo.map { $0 + "@" } ?? "") + host + (port.map { ":\($0)" } ?? "") }
}

extension URL {
  /// The scheme, the host and the port, which are no secret: `https://api.example:8443`.
  var origin: String {
    (scheme ?? "") + "://" + (host() ?? "") + (port.map { ":\($0)" } ?? "")
  }
}
