public import Foundation

/// The public keys that hosts are pinned to: a host's chain must be trusted, its name be right, and its key be one of
/// these.
///
/// ```swift
/// var pins = KeyPins()
/// pins.pin("api.example.org", to: [current, backup])
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
  ///
  /// The host may be written in any way in which an address may have it: in any case, with a dot at its end, and with
  /// letters that are not ASCII.
  public mutating func pin(_ host: String, to pins: Set<Pin>) {
    if host.hasPrefix("*.") {
      byHost["*." + Self.normalised(host.dropFirst(2))] = pins
    } else {
      byHost[Self.normalised(host[...])] = pins
    }
  }

  /// The pins of a host; nil where it has none. A host's own come before those of a pattern.
  public func pins(for host: String) -> Set<Pin>? {
    if byHost.isEmpty { return nil }
    let host = Self.normalised(host[...])
    if let own = byHost[host] { return own }
    guard let dot = host.firstIndex(of: ".") else { return nil }
    return byHost["*" + host[dot...]]
  }

  /// The one form of a host's spellings: as an address has it, in lower case, without the dot at the end, which names the
  /// same host.
  private static func normalised(_ host: Substring) -> String {
    // An address gives a name either percent-encoded or as DNS has it; it is this that all spellings have in common.
    let decoded = host.removingPercentEncoding ?? String(host)
    let isAddress = decoded.contains(":") && !decoded.hasPrefix("[")
    let known =
      URL(string: "https://" + (isAddress ? "[\(decoded)]" : decoded) + "/")?.host(percentEncoded: false) ?? decoded
    return ASCIIText.lowercased(known.last == "." ? known.dropLast() : known[...])
  }
}
