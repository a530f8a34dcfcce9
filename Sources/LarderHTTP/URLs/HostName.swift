internal import Foundation

/// Host names, in any spelling.
enum HostName {
  /// Returns the canonical form of a host: as in a URL, in lower case, without a final dot, which names the same host; an IP
  /// address as the system prints it, without its zone.
  static func normalized(_ host: Substring) -> String {
    if let address = ipv6Address(host) { return address }
    // A URL returns a host either percent-encoded or in the form of DNS; all spellings have the latter in common.
    let decoded = host.removingPercentEncoding ?? String(host)
    let known = URL(string: "https://" + decoded + "/")?.host(percentEncoded: false) ?? decoded
    let name = ASCIIText.lowercased(known.last == "." ? known.dropLast() : known[...])
    return IPAddress.v4(name) ?? name
  }

  /// Returns whether a text is a host name and nothing else; an IPv4 address counts as one, too.
  static func isName(_ host: Substring) -> Bool {
    let decoded = host.removingPercentEncoding ?? String(host)
    guard decoded.utf8.allSatisfy({ $0 >= 0x80 || isNameCharacter($0) }),
      URL(string: "https://" + decoded + "/")?.host() != nil
    else { return false }
    let name = normalized(host)
    return name.utf8.allSatisfy(isNameCharacter)
      && !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
  }

  /// Returns whether a byte is allowed in a host name. libcurl rejects the other bytes that a URL may have there.
  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: ASCIIText.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
  }

  /// Returns the canonical form of an IPv6 address, with or without brackets; nil for other text.
  static func ipv6Address(_ host: Substring) -> String? {
    let isBracketed = host.first == "[" && host.last == "]"
    return IPAddress.v6((isBracketed ? host.dropFirst().dropLast() : host).prefix { $0 != "%" })
  }
}
