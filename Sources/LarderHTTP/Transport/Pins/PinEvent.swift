/// An event of a connection or a redirect that violates a host's pins.
///
/// ```swift
/// options.pinObserver = { event in
///   log("\(event.host) has shown \(event.presented), and is pinned to \(event.expected)")
/// }
/// ```
///
/// Keys are public: an event contains no secrets.
public struct PinEvent: Sendable, Hashable {
  /// The kinds of violations.
  public enum Problem: Sendable, Hashable {
    /// The key is none of the host's pins. The chain and the name were valid.
    case mismatch
    /// The host redirects to another one, which has no pins.
    case unpinnedRedirect(host: String)
    /// The URL is `http`, where the server presents no key.
    case noTLS
  }

  /// The violation.
  public var problem: Problem
  /// The host as it is in the URL.
  public var host: String
  /// The keys of the chain that the server has presented, its own first, which is the one compared. Empty for a redirect and
  /// without TLS, and if this libcurl does not return certificates.
  public var presented: [KeyPins.Pin]
  /// The host's pins.
  public var expected: Set<KeyPins.Pin>
  /// Whether the request has failed because of the violation; false if the pins are only reported on.
  public var isRejected: Bool

  /// Creates an event, for tests of an observer.
  ///
  /// ```swift
  /// observer(PinEvent(.mismatch, host: "api.example.org", presented: [other], expected: [own], isRejected: true))
  /// ```
  ///
  /// - Parameters:
  ///   - problem: The violation.
  ///   - host: The host as it is in the URL.
  ///   - presented: The keys of the chain that the server has presented, its own first.
  ///   - expected: The host's pins.
  ///   - isRefused: Whether the request has failed because of the violation.
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
