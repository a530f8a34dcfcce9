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
  }

  public var problem: Problem
  /// The host as the address has it.
  public var host: String
  /// The keys of the chain that the server has shown, its own first, which is the one that is compared. Empty for a
  /// redirect, and where this libcurl does not give certificates.
  public var presented: [KeyPins.Pin]
  /// The host's pins.
  public var expected: Set<KeyPins.Pin>
  /// Whether the request has failed by it; false where the pins are only reported on.
  public var isRefused: Bool

  public init(
    _ problem: Problem, host: String, presented: [KeyPins.Pin] = [], expected: Set<KeyPins.Pin>, isRefused: Bool
  ) {
    self.problem = problem
    self.host = host
    self.presented = presented
    self.expected = expected
    self.isRefused = isRefused
  }
}
