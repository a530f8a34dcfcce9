public import Foundation

/// An error in a pin, or in a host to be pinned.
///
/// ```swift
/// do {
///   keys.insert(try KeyPins.Pin(base64: line))
/// } catch {
///   print("\(line): \(error)")
/// }
/// ```
public enum PinError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The pin is not in base64.
  case notBase64
  /// The pin is the SHA-256 in hexadecimal, as `sha256sum` prints it.
  case hexadecimal
  /// The pin has another length than a SHA-256, which has 32 bytes.
  case wrongLength(Int)
  /// The pin is the SHA-256 of empty input, which a command prints that should hash a key and has received none.
  case hashOfEmptyInput
  /// The text is no host: it has a scheme, a port, a path, a space or another `*`, and would match no host.
  case invalidHost(String)

  /// ``description``.
  public var errorDescription: String? { description }

  /// The error, and the advice.
  public var description: String {
    switch self {
    case .notBase64: "The pin is not in base64. Give the SHA-256 of a key as openssl prints it, or as sha256/…"
    case .hexadecimal: "The pin is in hexadecimal. Give it in base64, as openssl's base64 makes it of the bytes."
    case .wrongLength(let count):
      "The pin has \(count) bytes, and a SHA-256 has 32. Give the SHA-256 of a key, and not the key itself."
    case .hashOfEmptyInput:
      "The pin is the SHA-256 of nothing: what computed it was given no key. Run its steps one by one, see which one fails."
    // Quoted, since the error may be a space, or an empty text.
    case .invalidHost(let pattern):
      "\(String(reflecting: pattern)) is no host, and cannot be pinned. Give a host alone, or *. before one; no scheme, port "
        + "or path."
    }
  }
}
