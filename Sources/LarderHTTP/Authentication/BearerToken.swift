public import Foundation

/// A bearer token: grants access to every party that has it (RFC 6750).
///
/// ```swift
/// let token = BearerToken(answer.accessToken, expiresIn: answer.expiresIn)
/// try await store(token.value, until: token.expiry)
/// …
/// let stored = BearerToken(value, expiry: date)
/// ```
///
/// The value is in no description and no reflection of the token, and is not encoded: keep it in a store for secrets. Tokens of
/// the same value are equal, whatever their expiry dates.
public struct BearerToken: Sendable, Hashable {
  /// The text that is sent. Every party that has it can act as the user.
  public let value: String
  /// The token's lifetime from its creation on; nil where it is not known. At most ``maximumLifetime``.
  public let lifetime: Duration?
  /// The expiry date; nil where it is not known. It can be stored, unlike a lifetime, which also runs while the program does
  /// not.
  public let expiry: Date?
  /// The start of the lifetime, independent of the device's date.
  let createdAt: ContinuousClock.Instant

  /// A year: the longest lifetime that is accepted from a server. A token is refreshed after that at the latest.
  public static let maximumLifetime = Duration.seconds(366 * 86_400)

  /// Creates a token with a known lifetime.
  ///
  /// ```swift
  /// BearerToken(value, lifetime: .seconds(600))
  /// ```
  ///
  /// - Parameters:
  ///   - value: The text that is sent.
  ///   - lifetime: The lifetime from now on; a token with zero or less has expired. For a number from a server or a file use
  ///     ``init(_:expiresIn:now:)`` or ``init(_:expiry:now:)``, which accept any number.
  ///   - now: The current date.
  public init(_ value: String, lifetime: Duration? = nil, now: Date = Date()) {
    self.init(value, lifetime: lifetime, now: now, createdAt: .now)
  }

  init(_ value: String, lifetime: Duration?, expiry: Date? = nil, now: Date, createdAt made: ContinuousClock.Instant) {
    self.value = value
    self.lifetime = lifetime.map { min(max($0, .zero), Self.maximumLifetime) }
    self.expiry = expiry ?? self.lifetime.map { now.addingTimeInterval($0.seconds) }
    self.createdAt = made
  }

  /// Creates a token from a server's response.
  ///
  /// ```swift
  /// BearerToken(answer.accessToken, expiresIn: answer.expiresIn)
  /// ```
  ///
  /// - Parameters:
  ///   - value: The text that is sent.
  ///   - seconds: The `expires_in` of the response (RFC 6749, section 5.1), or nil. Any number is accepted: a negative one
  ///     means an expired token, one above ``maximumLifetime`` is reduced to that, and NaN means an unknown lifetime.
  ///   - now: The current date.
  public init(_ value: String, expiresIn seconds: Double?, now: Date = Date()) {
    self.init(value, lifetime: seconds.flatMap(Self.lifetime), now: now)
  }

  /// Creates a token that was stored with its expiry date.
  ///
  /// ```swift
  /// BearerToken(stored.accessToken, expiry: stored.expiry)
  /// ```
  ///
  /// - Parameters:
  ///   - value: The text that is sent.
  ///   - expiry: The expiry date, or nil if it is not known. If it has passed, the token is refreshed first. It stays the
  ///     token's ``expiry``, unless it is not finite, or later than ``maximumLifetime``.
  ///   - now: The current date.
  public init(_ value: String, expiry: Date?, now: Date = Date()) {
    let seconds = expiry?.timeIntervalSince(now)
    let isKept = seconds.map { $0.isFinite && $0 <= Self.maximumLifetime.seconds } ?? false
    self.init(
      value, lifetime: seconds.flatMap(Self.lifetime), expiry: isKept ? expiry : nil, now: now, createdAt: .now)
  }

  /// Returns a lifetime for any number of seconds. `Duration.seconds(_:)` traps for a number that it cannot represent.
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
