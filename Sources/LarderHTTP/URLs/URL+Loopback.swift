import Foundation

extension URL {
  /// Whether it leads to this machine alone: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8, `::1`.
  var isLoopback: Bool {
    guard let host = host().map({ ASCIIText.lowercased($0) }) else { return false }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts.first == "127"
  }
}
