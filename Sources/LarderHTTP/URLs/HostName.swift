internal import Foundation

/// The host of an address, in whichever way it is written.
enum HostName {
  /// The one form of a host's spellings: as an address has it, in lower case, without the dot at the end, which names the
  /// same host; an IP address as the system prints it, without its zone.
  static func normalized(_ host: Substring) -> String {
    if let address = ipv6Address(host) { return address }
    // An address gives a name either percent-encoded or as DNS has it; it is this that all spellings have in common.
    let decoded = host.removingPercentEncoding ?? String(host)
    let known = URL(string: "https://" + decoded + "/")?.host(percentEncoded: false) ?? decoded
    let name = ASCIIText.lowercased(known.last == "." ? known.dropLast() : known[...])
    return IPAddress.v4(name) ?? name
  }

  /// Whether it is a host's name, and nothing beside it; an IPv4 address is one, too.
  static func isName(_ host: Substring) -> Bool {
    let decoded = host.removingPercentEncoding ?? String(host)
    guard decoded.utf8.allSatisfy({ $0 >= 0x80 || isNameCharacter($0) }),
      URL(string: "https://" + decoded + "/")?.host() != nil
    else { return false }
    let name = normalized(host)
    return name.utf8.allSatisfy(isNameCharacter)
      && !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
  }

  /// What names of hosts are made of. What else an address may have there, libcurl refuses.
  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: ASCIIText.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
  }

  /// The form of an IPv6 address, with or without brackets; nil where it is none.
  static func ipv6Address(_ host: Substring) -> String? {
    let isBracketed = host.first == "[" && host.last == "]"
    return IPAddress.v6((isBracketed ? host.dropFirst().dropLast() : host).prefix { $0 != "%" })
  }
}
