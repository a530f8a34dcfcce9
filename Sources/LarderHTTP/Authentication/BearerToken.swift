public import Foundation

/// A token by which a server knows who asks (RFC 6750).
///
/// ```swift
/// let token = BearerToken(answer.accessToken, expiresIn: answer.expiresIn)
/// try await store(token.value, until: token.expiry)
/// …
/// let stored = BearerToken(value, expiry: date)
/// ```
///
/// Its value is in no description and no reflection of it, and is not encoded: keep it where the system keeps secrets. Two
/// of one value are equal, whatever is known of their ends.
public struct BearerToken: Sendable, Hashable {
  /// What is sent. Whoever has it is taken for the user.
  public let value: String
  /// How long it is valid from when this value was made; nil where that is not known. At most ``maximumLifetime``.
  public let lifetime: Duration?
  /// The date of its end, which can be stored where a lifetime cannot: it goes on while the program does not run. Nil
  /// where that is not known.
  public let expiry: Date?
  /// From when on the lifetime is counted, whatever becomes of the date.
  let createdAt: ContinuousClock.Instant

  /// A year: how long a token is believed to be valid at most, whatever a server says. It is refreshed then at the latest.
  public static let maximumLifetime = Duration.seconds(366 * 86_400)

  /// Makes a token of a known lifetime.
  ///
  /// ```swift
  /// BearerToken(value, lifetime: .seconds(600))
  /// ```
  ///
  /// - Parameters:
  ///   - value: What is sent.
  ///   - lifetime: How long it is valid from now on; what is not above zero has expired. What a server or a file says is
  ///     for ``init(_:expiresIn:now:)`` and ``init(_:expiry:now:)``, which take any number.
  ///   - now: The date.
  public init(_ value: String, lifetime: Duration? = nil, now: Date = Date()) {
    self.init(value, lifetime: lifetime, now: now, createdAt: .now)
  }

  init(_ value: String, lifetime: Duration?, expiry: Date? = nil, now: Date, createdAt made: ContinuousClock.Instant) {
    self.value = value
    self.lifetime = lifetime.map { min(max($0, .zero), Self.maximumLifetime) }
    self.expiry = expiry ?? self.lifetime.map { now.addingTimeInterval($0.seconds) }
    self.createdAt = made
  }

  /// Makes a token of what a server has granted.
  ///
  /// ```swift
  /// BearerToken(answer.accessToken, expiresIn: answer.expiresIn)
  /// ```
  ///
  /// - Parameters:
  ///   - value: What is sent.
  ///   - seconds: What the answer has as `expires_in` (RFC 6749, section 5.1), nil where it has none. Any number may be
  ///     given: a negative one has expired, what is longer than ``maximumLifetime`` is taken for that, and what is no
  ///     number says nothing.
  ///   - now: The date.
  public init(_ value: String, expiresIn seconds: Double?, now: Date = Date()) {
    self.init(value, lifetime: seconds.flatMap(Self.lifetime), now: now)
  }

  /// Makes a token that was stored with the date of its end.
  ///
  /// ```swift
  /// BearerToken(stored.accessToken, expiry: stored.expiry)
  /// ```
  ///
  /// - Parameters:
  ///   - value: What is sent.
  ///   - expiry: The date of its end; nil where it is not known. One that has passed has a refresh made first. It stays the
  ///     token's ``expiry``, unless it is no date that can be stored, or is later than ``maximumLifetime``.
  ///   - now: The date.
  public init(_ value: String, expiry: Date?, now: Date = Date()) {
    let seconds = expiry?.timeIntervalSince(now)
    let isKept = seconds.map { $0.isFinite && $0 <= Self.maximumLifetime.seconds } ?? false
    self.init(
      value, lifetime: seconds.flatMap(Self.lifetime), expiry: isKept ? expiry : nil, now: now, createdAt: .now)
  }

  /// A lifetime of any number of seconds. `Duration.seconds(_:)` ends the program for what it cannot hold.
  private static func lifetime(_ seconds: Double) -> Duration? {
    guard !seconds.isNaN else { return nil }
    return .seconds(min(max(seconds, 0), maximumLifetime.seconds))
  }
}

extension BearerToken {
  public static func == (one: BearerToken, other: BearerToken) -> Bool { one.value == other.value }
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "BearerToken(<private>)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
