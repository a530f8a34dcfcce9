/// A password, a token, or other confidential bytes.
///
/// ```swift
/// let token = Secret("s3cr3t")
/// print(token)                          // Secret (redacted)
/// token.withBytes { send($0) }
/// ```
///
/// The bytes appear in no description, no mirror and no dump, a secret is not `Codable`, and the memory is overwritten when the
/// last
/// copy is released. Call ``text()`` as late as possible and keep the result for as short as possible: the returned `String` is
/// never wiped.
public struct Secret: Sendable {
  let bytes: SecretBytes

  init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// Creates a secret from the UTF-8 of a text. The text itself is not wiped, and a literal is part of the executable: use literals
  /// in
  /// tests only.
  public init(_ text: String) {
    self.init(text.utf8)
  }

  /// Creates a secret from a copy of bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    self.init(SecretBytes(copying: bytes))
  }

  /// Creates a secret from an array, and empties the array. The array's memory is overwritten if no other copy shares it.
  ///
  /// ```swift
  /// var answer = try readPassword()       // [UInt8]
  /// let password = Secret(wiping: &answer)
  /// ```
  public init(wiping array: inout [UInt8]) {
    bytes = array.withUnsafeBytes { SecretBytes(copying: $0) }
    wipe(&array)
  }

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// Passes the bytes to a closure. The buffer is valid only during the call.
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try bytes.withBytes(body)
  }

  /// Returns the bytes as text, or `nil` if they are no UTF-8.
  ///
  /// ```swift
  /// request.headers["Authorization"] = token.text().map { "Bearer \($0)" }
  /// ```
  public func text() -> String? {
    bytes.withBytes { bytes in
      // Decoding repairs invalid UTF-8, so the result then has other bytes.
      let text = String(decoding: bytes, as: UTF8.self)
      return text.utf8.elementsEqual(bytes) ? text : nil
    }
  }
}

extension Secret: Equatable {
  /// Returns whether the bytes are equal. The time of the comparison depends only on their count.
  public static func == (one: Secret, other: Secret) -> Bool { one.bytes.isEqual(to: other.bytes) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A constant text, without the secret and its length.
  public var description: String { "Secret (redacted)" }
  /// A constant text, without the secret and its length.
  public var debugDescription: String { description }
  /// A mirror without children: a dump shows only ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
