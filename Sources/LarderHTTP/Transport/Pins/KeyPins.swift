/// The public keys that hosts are pinned to: a host's chain must be trusted, its name be right, and its key be one of
/// these.
///
/// ```swift
/// var pins = KeyPins()
/// try pins.pin("api.example.org", to: [KeyPins.Pin(base64: current), KeyPins.Pin(base64: backup)])
/// ```
///
/// A key is the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4). Pin a backup key beside the present one: a
/// connection whose key is another one fails (``HTTPError/Kind/pinMismatch(host:)``), also where the pins are out of date.
/// See <doc:Pinning>.
public struct KeyPins: Sendable, Hashable {
  /// What comes of a connection whose key is none of its host's.
  ///
  /// ```swift
  /// try pins.pin("api.example.org", to: [current, backup], mode: .reportOnly)
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

  private var rulesByHost: [String: Rule] = [:]

  /// Whether a redirect from a pinned host to one without pins is followed. By default it fails
  /// (``RedirectFailure/unpinned(host:)``), also where hosts whose pins are only reported on lie between: whoever may write
  /// a `Location` could lead around the pins.
  ///
  /// ```swift
  /// pins.allowsUnpinnedRedirects = true  // The files are with a host that is not ours.
  /// ```
  public var allowsUnpinnedRedirects = false

  /// No host is pinned.
  public init() {}

  /// Pins a host, or with `*.` in front all hosts one label below it. Without a pin nothing matches.
  ///
  /// The host may be written in any way in which an address may have it: in any case, with a dot at its end, with letters
  /// that are not ASCII, and an IP address in any of its spellings (`127.1` is `127.0.0.1`). A host that is pinned is spoken
  /// to over `https` alone: a request for its `http` fails by ``InvalidRequest/insecurePinnedHost``.
  ///
  /// ```swift
  /// try pins.pin("api.example.org", to: [current, backup])
  /// try pins.pin("*.cdn.example.org", to: [current, backup], mode: .reportOnly)
  /// ```
  ///
  /// - Parameters:
  ///   - host: A host's name or address, or `*.` and a name.
  ///   - pins: Its keys, the present one and those that may come.
  ///   - mode: Whether another key is refused or only told of.
  /// - Throws: ``PinError/invalidHost(_:)`` for what would match no host, since it has a scheme, a port, a path, a blank or
  ///   another `*`.
  public mutating func pin(_ host: String, to pins: Set<Pin>, mode: Mode = .enforced) throws(PinError) {
    let isPattern = host.hasPrefix("*.")
    let given = isPattern ? host.dropFirst(2) : host[...]
    let name = HostName.normalized(given)
    // Below an address there is nothing.
    guard
      isPattern
        ? HostName.isName(given) && IPAddress.v4(name) == nil
        : HostName.isName(given) || HostName.ipv6Address(given) != nil
    else { throw .invalidHost(host) }
    rulesByHost[(isPattern ? "*." : "") + name] = Rule(pins: pins, mode: mode)
  }

  /// The pins of a host; nil where it has none. A host's own come before those of a pattern.
  ///
  /// ```swift
  /// assert(pins.pins(for: "api.example.org")?.count == 2)
  /// ```
  public func pins(for host: String) -> Set<Pin>? { rule(for: host)?.pins }

  /// What comes of another key at a host; nil where it has no pins.
  public func mode(for host: String) -> Mode? { rule(for: host)?.mode }

  /// Whether no host is pinned.
  var isEmpty: Bool { rulesByHost.isEmpty }

  func rule(for host: String) -> Rule? {
    if isEmpty { return nil }
    let host = HostName.normalized(host[...])
    if let own = rulesByHost[host] { return own }
    guard let dot = host.firstIndex(of: ".") else { return nil }
    return rulesByHost["*" + host[dot...]]
  }
}
