public import Foundation

/// What was given for a pin, or for a host that is to be pinned, is none.
///
/// ```swift
/// do {
///   keys.insert(try KeyPins.Pin(base64: line))
/// } catch {
///   print("\(line): \(error)")
/// }
/// ```
public enum PinError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// It is not in base64.
  case notBase64
  /// It is the SHA-256 in hexadecimal, as `sha256sum` prints it.
  case hexadecimal
  /// It has another length than a SHA-256, which has 32 bytes.
  case wrongLength(Int)
  /// It is the SHA-256 of nothing, which a command prints that was to hash a key and was given none.
  case hashOfEmptyInput
  /// What is to be pinned is no host: it has a scheme, a port, a path, a blank or another `*`, and no host would match it.
  case invalidHost(String)

  /// ``description``.
  public var errorDescription: String? { description }

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .notBase64: "The pin is not in base64. Give the SHA-256 of a key as openssl prints it, or as sha256/…"
    case .hexadecimal: "The pin is in hexadecimal. Give it in base64, as openssl's base64 makes it of the bytes."
    case .wrongLength(let count):
      "The pin has \(count) bytes, and a SHA-256 has 32. Give the SHA-256 of a key, and not the key itself."
    case .hashOfEmptyInput:
      "The pin is the SHA-256 of nothing: what computed it was given no key. Run its steps one by one, see which one fails."
    // Quoted: what is wrong may be a blank, or that there is nothing.
    case .invalidHost(let pattern):
      "\(String(reflecting: pattern)) is no host, and cannot be pinned. Give a host alone, or *. before one; no scheme, port "
        + "or path."
    }
  }
}
