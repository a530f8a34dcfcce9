/// A password, a token, or whatever else nobody is to see.
///
/// ```swift
/// let token = Secret("s3cr3t")
/// print(token)                          // Secret (redacted)
/// token.withBytes { send($0) }
/// ```
///
/// What it holds is in no description, no mirror and no dump, it is not `Codable`, and its bytes are overwritten when the
/// last copy goes. Ask for ``text()`` as late as possible and keep it for as short as possible: a `String` that it has
/// given out is wiped by nobody.
public struct Secret: Sendable {
  let bytes: SecretBytes

  init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// The UTF-8 of a text. The text itself is not wiped, and a literal is in the program's file: write one in tests only.
  public init(_ text: String) {
    self.init(text.utf8)
  }

  /// A copy of bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    self.init(SecretBytes(copying: bytes))
  }

  /// Takes bytes over: the array is empty afterwards, and where nobody else holds it its memory is overwritten.
  ///
  /// ```swift
  /// var answer = try readPassword()       // [UInt8]
  /// let password = Secret(wiping: &answer)
  /// ```
  public init(wiping array: inout [UInt8]) {
    bytes = array.withUnsafeBytes { SecretBytes(copying: $0) }
    wipe(&array)
  }

  /// How many bytes it has.
  public var count: Int { bytes.count }

  /// Lends the bytes for the time of a call. Do not let them out of it.
  public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try bytes.withBytes(body)
  }

  /// The bytes as text, or nil where they are no UTF-8.
  ///
  /// ```swift
  /// request.headers["Authorization"] = token.text().map { "Bearer \($0)" }
  /// ```
  public func text() -> String? {
    bytes.withBytes { bytes in
      // A text that is no UTF-8 comes out repaired, so with other bytes.
      let text = String(decoding: bytes, as: UTF8.self)
      return text.utf8.elementsEqual(bytes) ? text : nil
    }
  }
}

extension Secret: Equatable {
  /// Whether the bytes are the same; how long that takes tells nothing of them but their count.
  public static func == (one: Secret, other: Secret) -> Bool { one.bytes.isEqual(to: other.bytes) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the secret, and not its length.
  public var description: String { "Secret (redacted)" }
  /// Never the secret, and not its length.
  public var debugDescription: String { description }
  /// Without children: a dump shows what ``description`` says.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
