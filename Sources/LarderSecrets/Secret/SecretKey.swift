/// The key of an ``EncryptedFileSecretStore``: 32 random bytes, from a source that the program's operator chooses.
///
/// ```swift
/// let key = try SecretKey.credential("larder-key")                // systemd: LoadCredentialEncrypted=larder-key
/// let key = try SecretKey.environment("LARDER_KEY")               // base64, as `openssl rand -base64 32` prints it
/// let key = try SecretKey.file(URL(filePath: "/etc/app/key"))     // readable by this user only
/// ```
///
/// A password is no key: pass it to ``EncryptedFileSecretStore/init(file:passphrase:cost:)``. Like a ``Secret`` a key appears in no
/// description, and is wiped when the last copy is released.
public struct SecretKey: Sendable {
  /// The number of bytes of a key: 32.
  public static let count = 32

  let bytes: SecretBytes

  /// Creates a key from 32 bytes.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for any other number of bytes.
  public init(bytes: some Sequence<UInt8>) throws(SecretError) {
    try self.init(SecretBytes(copying: bytes))
  }

  /// Creates a key from a secret of 32 bytes.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for any other number of bytes.
  public init(_ secret: Secret) throws(SecretError) { try self.init(secret.bytes) }

  init(_ bytes: SecretBytes) throws(SecretError) {
    guard bytes.count == Self.count else { throw .invalidKey(.wrongLength(bytes.count)) }
    self.bytes = bytes
  }

  /// Creates a new key from the system's random bytes.
  ///
  /// - Throws: ``SecretError/noRandomness`` if the system provides none.
  public static func random() throws(SecretError) -> SecretKey {
    try SecretKey(SecretBytes.random(count: count))
  }

  /// Returns the key in base64, for its operator to store. This text gives access to all secrets.
  ///
  /// ```swift
  /// let key = try SecretKey.random()
  /// try key.base64().withBytes { try write($0, to: operatorsVault) }
  /// ```
  public func base64() -> Secret { Secret(Base64.encoded(bytes)) }
}

extension SecretKey: Equatable {
  /// Returns whether the keys are equal, in constant time.
  public static func == (one: SecretKey, other: SecretKey) -> Bool { one.bytes.isEqual(to: other.bytes) }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A constant text, without the key.
  public var description: String { "SecretKey (redacted)" }
  /// A constant text, without the key.
  public var debugDescription: String { description }
  /// A mirror without children: a dump shows only ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
