import Foundation

extension URL {
  /// Whether it leads to this machine alone: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8 and `::1`
  /// in any spelling. What is not surely that is not.
  var isLoopback: Bool {
    guard let host = host().map({ ASCIIText.lowercased($0) }) else { return false }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    // With a dot at its end it is no address, and the network is asked for it as a name.
    if let address = IPAddress.v4(host) { return address.hasPrefix("127.") }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return IPAddress.v6(isBracketed ? host.dropFirst().dropLast() : host[...]) == "::1"
  }
}
