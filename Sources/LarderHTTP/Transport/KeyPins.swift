public import Foundation

/// The public keys that hosts are pinned to: a host's chain must be trusted, its name be right, and its key be one of
/// these.
///
/// ```swift
/// var pins = KeyPins()
/// try pins.pin("api.example.org", to: [current, backup])
/// ```
///
/// A key is the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4). Pin a backup key beside the present one.
public struct KeyPins: Sendable, Hashable {
  /// The SHA-256 of a SubjectPublicKeyInfo.
  public struct Pin: Sendable, Hashable {
    public let sha256: Data

    /// - Parameter sha256: 32 bytes; nil for any other number.
    public init?(sha256: Data) {
      guard sha256.count == 32 else { return nil }
      self.sha256 = sha256
    }

    /// - Parameter base64: As `sha256/…` or `sha256//…` or without either; nil where it is not of 32 bytes.
    public init?(base64: String) {
      let text = base64.hasPrefix("sha256/") ? base64.dropFirst(7).drop { $0 == "/" } : base64[...]
      guard let data = Data(base64Encoded: String(text)) else { return nil }
      self.init(sha256: data)
    }
  }

  private var byHost: [String: Set<Pin>] = [:]

  public init() {}

  /// Pins a host, or with `*.` in front all hosts one label below it. Without a pin nothing matches.
  public mutating func pin(_ host: String, to pins: Set<Pin>) {
    byHost[ASCIIText.lowercased(host)] = pins
  }

  /// The pins of a host; nil where it has none. A host's own come before those of a pattern.
  public func pins(for host: String) -> Set<Pin>? {
    // A dot at the end names the same host.
    let host = ASCIIText.lowercased(host.last == "." ? host.dropLast() : host[...])
    if let own = byHost[host] { return own }
    guard let dot = host.firstIndex(of: ".") else { return nil }
    return byHost["*" + host[dot...]]
  }
}
