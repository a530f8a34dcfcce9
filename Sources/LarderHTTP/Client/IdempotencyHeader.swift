/// The header field that carries a request's idempotency key.
///
/// ```swift
/// configuration.idempotencyHeader = IdempotencyHeader(name: "X-Request-ID", format: .structured)
/// ```
public struct IdempotencyHeader: Sendable, Hashable {
  /// The format of the key in the field.
  public enum Format: Sendable, Hashable {
    /// The key as it is.
    case bare
    /// A quoted string, as in draft-ietf-httpapi-idempotency-key-header (RFC 8941, section 3.3.3).
    case structured
  }

  /// The name of the field.
  public var name: String
  /// The format of its value.
  public var format: Format

  /// Creates a header field for idempotency keys.
  public init(name: String = "Idempotency-Key", format: Format = .bare) {
    self.name = name
    self.format = format
  }

  /// Returns the field's value, or nil if the key contains characters that cannot be sent.
  func value(of key: String) -> String? {
    guard !key.isEmpty, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    guard format == .structured else { return key }
    var quoted = "\""
    for character in key {
      if character == "\"" || character == "\\" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted + "\""
  }
}
