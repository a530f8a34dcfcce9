public import Foundation

extension KeyPins {
  /// A pin: the SHA-256 of a SubjectPublicKeyInfo.
  ///
  /// ```swift
  /// let pin = try KeyPins.Pin(base64: "sha256/bsuFhEL7qADJOVT6wEhimLbhzUtaBwXeT4D1CsdLYfs=")
  /// ```
  public struct Pin: Sendable, Hashable {
    /// The SHA-256 in 32 bytes. It is that of a public key, and no secret.
    public let sha256: Data

    /// The hash that failed commands print: `47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`.
    private static let emptyHash = SHA256.hash([])

    /// Creates a pin from a hash.
    ///
    /// ```swift
    /// let pin = try KeyPins.Pin(sha256: identity.publicKeySHA256)
    /// ```
    ///
    /// - Parameter sha256: The hash, 32 bytes.
    /// - Throws: ``PinError`` for another number of bytes, and for the hash of empty input, which belongs to no key.
    public init(sha256: Data) throws(PinError) {
      guard sha256.count == 32 else { throw .wrongLength(sha256.count) }
      guard sha256 != Self.emptyHash else { throw .hashOfEmptyInput }
      self.sha256 = sha256
    }

    /// Creates a pin from the text that is shipped with a program.
    ///
    /// ```swift
    /// let keys = Set(try [current, backup].map { try KeyPins.Pin(base64: $0) })
    /// ```
    ///
    /// - Parameter base64: The hash as `sha256/…`, `sha256//…` or without a prefix; a line break around it is ignored.
    /// - Throws: ``PinError`` if the text is no base64 of 32 bytes, and for the hash of empty input. Do not ignore the error: a
    ///   mistyped pin that is left out is missing on the day on which it is needed.
    public init(base64: String) throws(PinError) {
      var text = ASCIIText.trimmed(base64.trimmingCharacters(in: .newlines))[...]
      if text.hasPrefix("sha256/") {
        text = text.dropFirst(7)
        // The base64 of 32 bytes has 44 characters, the first of which may be a slash, too.
        if text.utf8.count == 45, text.first == "/" { text = text.dropFirst() }
      }
      // Hexadecimal digits are valid base64 as well, of 48 bytes.
      if text.utf8.count == 64, text.utf8.allSatisfy(ASCIIText.isHexadecimal) { throw .hexadecimal }
      guard let data = Data(base64Encoded: String(text)) else { throw .notBase64 }
      try self.init(sha256: data)
    }

    /// The hash in base64, as in `openssl` and the pins of HTTP.
    public var base64: String { sha256.base64EncodedString() }
  }
}

extension KeyPins.Pin: CustomStringConvertible {
  public var description: String { "sha256/" + base64 }
}
