import Foundation

extension URL {
  /// Whether the host is certainly this machine: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8 and `::1`
  /// in any spelling.
  var isLoopback: Bool {
    guard let host = host().map({ ASCIIText.lowercased($0) }) else { return false }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    // With a final dot the host is no IP address, and is looked up as a name.
    if let address = IPAddress.v4(host) { return address.hasPrefix("127.") }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return IPAddress.v6(isBracketed ? host.dropFirst().dropLast() : host[...]) == "::1"
  }
}
