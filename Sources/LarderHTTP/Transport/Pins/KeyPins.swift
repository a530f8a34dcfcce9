/// The public keys that hosts are pinned to. A pinned host must have a trusted chain, a matching name, and one of these keys.
///
/// ```swift
/// var pins = KeyPins()
/// try pins.pin("api.example.org", to: [KeyPins.Pin(base64: current), KeyPins.Pin(base64: backup)])
/// ```
///
/// A key is the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4). Pin a backup key in addition to the current one:
/// a connection with another key fails (``HTTPError/Kind/pinMismatch(host:)``), also if the pins are out of date.
/// See <doc:Pinning>.
public struct KeyPins: Sendable, Hashable {
  /// The effect of a connection whose key is not among its host's pins.
  ///
  /// ```swift
  /// try pins.pin("api.example.org", to: [current, backup], mode: .reportOnly)
  /// ```
  public enum Mode: Sendable, Hashable {
    /// The connection is rejected before anything is sent.
    case enforced
    /// The connection is used, and ``CurlTransport/Options/pinObserver`` receives an event. For pins on trial.
    case reportOnly
  }

  struct Rule: Sendable, Hashable {
    var pins: Set<Pin>
    var mode: Mode
  }

  private var rulesByHost: [String: Rule] = [:]

  /// Whether a redirect from a pinned host to one without pins is followed. By default it fails
  /// (``RedirectFailure/unpinned(host:)``), even through hosts whose pins are only reported on: an attacker with control of a
  /// `Location` could bypass the pins.
  ///
  /// ```swift
  /// pins.allowsUnpinnedRedirects = true  // The files are with a host that is not ours.
  /// ```
  public var allowsUnpinnedRedirects = false

  /// Creates pins without hosts.
  public init() {}

  /// Pins a host, or with the prefix `*.` all hosts one label below it. With an empty set no key matches.
  ///
  /// The host may be written in any form that a URL allows: in any case, with a final dot, with letters outside of ASCII, and an
  /// IP address in any spelling (`127.1` is `127.0.0.1`). A request for a pinned host by `http` fails with
  /// ``InvalidRequest/insecurePinnedHost``, unless the pins are only reported on.
  ///
  /// ```swift
  /// try pins.pin("api.example.org", to: [current, backup])
  /// try pins.pin("*.cdn.example.org", to: [current, backup], mode: .reportOnly)
  /// ```
  ///
  /// - Parameters:
  ///   - host: A host name or an IP address, or `*.` and a name.
  ///   - pins: The keys of the host: the current one, and future ones.
  ///   - mode: Whether another key is rejected or only reported.
  /// - Throws: ``PinError/invalidHost(_:)`` for text that would match no host, since it has a scheme, a port, a path, a space or
  ///   another `*`.
  public mutating func pin(_ host: String, to pins: Set<Pin>, mode: Mode = .enforced) throws(PinError) {
    let isPattern = host.hasPrefix("*.")
    let given = isPattern ? host.dropFirst(2) : host[...]
    let name = HostName.normalized(given)
    // An IP address has no hosts below it.
    guard
      isPattern
        ? HostName.isName(given) && IPAddress.v4(name) == nil
        : HostName.isName(given) || HostName.ipv6Address(given) != nil
    else { throw .invalidHost(host) }
    rulesByHost[(isPattern ? "*." : "") + name] = Rule(pins: pins, mode: mode)
  }

  /// Returns the pins of a host; nil if it has none. The host's own pins take precedence over those of a pattern.
  ///
  /// ```swift
  /// assert(pins.pins(for: "api.example.org")?.count == 2)
  /// ```
  public func pins(for host: String) -> Set<Pin>? { rule(for: host)?.pins }

  /// Returns the effect of another key at a host; nil if the host has no pins.
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
