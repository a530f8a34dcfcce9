/// How a request's idempotency key is sent.
public struct IdempotencyHeader: Sendable, Hashable {
  public enum Format: Sendable, Hashable {
    /// As it is.
    case bare
    /// As a quoted string, as draft-ietf-httpapi-idempotency-key-header has it (RFC 8941, section 3.3.3).
    case structured
  }

  public var name: String
  public var format: Format

  public init(name: String = "Idempotency-Key", format: Format = .bare) {
    self.name = name
    self.format = format
  }

  /// The field's value; nil where the key has characters that cannot be sent.
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
