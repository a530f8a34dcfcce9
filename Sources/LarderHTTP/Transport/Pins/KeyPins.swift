public import Foundation

/// The public keys that hosts are pinned to: a host's chain must be trusted, its name be right, and its key be one of
/// these.
///
/// ```swift
/// var pins = KeyPins()
/// pins.pin("api.example.org", to: [current, backup])
/// ```
///
/// A key is the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4). Pin a backup key beside the present one: a
/// connection whose key is another one fails (``HTTPError/Kind/pinMismatch(host:)``), also where the pins are out of date.
/// See <doc:Pinning>.
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

    /// In base64, as `openssl` and HTTP's pins have it.
    public var base64: String { sha256.base64EncodedString() }
  }

  /// What comes of a connection whose key is none of its host's.
  ///
  /// ```swift
  /// pins.pin("api.example.org", to: [current, backup], mode: .reportOnly)
  /// ```
  public enum Mode: Sendable, Hashable {
    /// It is refused before anything is sent.
    case enforced
    /// It is used; ``CurlTransport/Options/pinObserver`` is told. For pins that are tried out.
    case reportOnly
  }

  struct Rule: Sendable, Hashable {
    var pins: Set<Pin>
    var mode: Mode
  }

  private var byHost: [String: Rule] = [:]

  /// Whether a redirect from a pinned host to one without pins is followed. By default it fails
  /// (``RedirectFailure/unpinned(host:)``): whoever may write a `Location` could lead around the pins.
  public var allowsUnpinnedRedirects = false

  public init() {}

  /// Pins a host, or with `*.` in front all hosts one label below it. Without a pin nothing matches.
  ///
  /// The host may be written in any way in which an address may have it: in any case, with a dot at its end, and with
  /// letters that are not ASCII.
  ///
  /// - Parameters:
  ///   - host: A host's name or address, or `*.` and a name.
  ///   - pins: Its keys, the present one and those that may come.
  ///   - mode: Whether another key is refused or only told of.
  public mutating func pin(_ host: String, to pins: Set<Pin>, mode: Mode = .enforced) {
    let rule = Rule(pins: pins, mode: mode)
    if host.hasPrefix("*.") {
      byHost["*." + Self.normalized(host.dropFirst(2))] = rule
    } else {
      byHost[Self.normalized(host[...])] = rule
    }
  }

  /// The pins of a host; nil where it has none. A host's own come before those of a pattern.
  public func pins(for host: String) -> Set<Pin>? { rule(for: host)?.pins }

  /// What comes of another key at a host; nil where it has no pins.
  public func mode(for host: String) -> Mode? { rule(for: host)?.mode }

  func rule(for host: String) -> Rule? {
    if byHost.isEmpty { return nil }
    let host = Self.normalized(host[...])
    if let own = byHost[host] { return own }
    guard let dot = host.firstIndex(of: ".") else { return nil }
    return byHost["*" + host[dot...]]
  }

  /// The one form of a host's spellings: as an address has it, in lower case, without the dot at the end, which names the
  /// same host.
  private static func normalized(_ host: Substring) -> String {
    // An address gives a name either percent-encoded or as DNS has it; it is this that all spellings have in common.
    let decoded = host.removingPercentEncoding ?? String(host)
    let isAddress = decoded.contains(":") && !decoded.hasPrefix("[")
    let known =
      URL(string: "https://" + (isAddress ? "[\(decoded)]" : decoded) + "/")?.host(percentEncoded: false) ?? decoded
    return ASCIIText.lowercased(known.last == "." ? known.dropLast() : known[...])
  }
}

extension KeyPins.Pin: CustomStringConvertible {
  public var description: String { "sha256/" + base64 }
}
