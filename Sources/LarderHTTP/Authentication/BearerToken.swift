/// A token by which a server knows who asks (RFC 6750).
///
/// ```swift
/// BearerToken(answer.accessToken, lifetime: .seconds(answer.expiresIn))
/// ```
///
/// Its value is in no description and no reflection of it, and is not encoded: keep it where the system keeps secrets.
public struct BearerToken: Sendable, Hashable {
  /// What is sent. Whoever has it is taken for the user.
  public let value: String
  /// How long it is valid from now on, as `expires_in` says (RFC 6749, section 5.1); nil where that is not known.
  public let lifetime: Duration?

  /// - Parameters:
  ///   - value: What is sent.
  ///   - lifetime: How long it is valid from now on. For one that was stored with a date, what is left until then; what is
  ///     not above zero has expired.
  public init(_ value: String, lifetime: Duration? = nil) {
    self.value = value
    self.lifetime = lifetime
  }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "BearerToken(<private>)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
