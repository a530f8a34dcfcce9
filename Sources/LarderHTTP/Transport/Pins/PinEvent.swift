/// A connection or a redirect that a host's pins speak against.
///
/// ```swift
/// options.pinObserver = { event in
///   log("\(event.host) has shown \(event.presented), and is pinned to \(event.expected)")
/// }
/// ```
///
/// Keys are public: what an event has may be told to anybody.
public struct PinEvent: Sendable, Hashable {
  /// What the pins speak against.
  public enum Problem: Sendable, Hashable {
    /// The key is none of the host's pins. The chain and the name were right.
    case mismatch
    /// The host redirects to another one, which has no pins.
    case unpinnedRedirect(host: String)
    /// The address is `http`, where no key is shown.
    case noTLS
  }

  /// What the pins speak against.
  public var problem: Problem
  /// The host as the address has it.
  public var host: String
  /// The keys of the chain that the server has shown, its own first, which is the one that is compared. Empty for a
  /// redirect and without TLS, and where this libcurl does not give certificates.
  public var presented: [KeyPins.Pin]
  /// The host's pins.
  public var expected: Set<KeyPins.Pin>
  /// Whether the request has failed by it; false where the pins are only reported on.
  public var isRejected: Bool

  /// Makes an event, for tests of an observer.
  ///
  /// ```swift
  /// observer(PinEvent(.mismatch, host: "api.example.org", presented: [other], expected: [own], isRefused: true))
  /// ```
  ///
  /// - Parameters:
  ///   - problem: What the pins speak against.
  ///   - host: The host as the address has it.
  ///   - presented: The keys of the chain that the server has shown, its own first.
  ///   - expected: The host's pins.
  ///   - isRefused: Whether the request has failed by it.
  public init(
    _ problem: Problem, host: String, presented: [KeyPins.Pin] = [], expected: Set<KeyPins.Pin>,
    isRejected isRefused: Bool
  ) {
    self.problem = problem
    self.host = host
    self.presented = presented
    self.expected = expected
    self.isRejected = isRefused
  }
}
