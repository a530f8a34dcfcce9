#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The canonical form of IP addresses, as `inet_ntop` prints them.
enum IPAddress {
  /// Returns the form of an IPv4 address, in any spelling that libcurl and `getaddrinfo` accept: one to four numbers, decimal,
  /// octal (`0177`) or hexadecimal (`0x7f`), the last of which fills the remaining bytes. Nil for other text.
  static func v4(_ text: some StringProtocol) -> String? {
    // `inet_aton` ignores text after a space.
    guard
      text.utf8.allSatisfy({ ASCIIText.isHexadecimal($0) || $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "x") })
    else { return nil }
    var address = in_addr()
    guard inet_aton(String(text), &address) != 0 else { return nil }
    return printed(AF_INET, &address)
  }

  /// Returns the form of an IPv6 address without brackets and zone; nil for other text.
  static func v6(_ text: some StringProtocol) -> String? {
    guard text.utf8.allSatisfy({ ASCIIText.isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
    else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
    return printed(AF_INET6, &address)
  }

  private static func printed(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let start = text.baseAddress, inet_ntop(family, address, start, socklen_t(text.count)) != nil
      else { return nil }
      return String(cString: start)
    }
  }
}
