/// The key of an ``EncryptedFileSecretStore``: 32 random bytes, from wherever the program's operator keeps them.
///
/// ```swift
/// let key = try SecretKey.credential("larder-key")                // systemd: LoadCredentialEncrypted=larder-key
/// let key = try SecretKey.environment("LARDER_KEY")               // base64, as `openssl rand -base64 32` prints it
/// let key = try SecretKey.file(URL(filePath: "/etc/app/key"))     // readable by nobody but this user
/// ```
///
/// A password is no key: give it to ``EncryptedFileSecretStore/init(file:passphrase:cost:)``. Like a ``Secret`` it is in
/// no description, and is wiped when the last copy goes.
public struct SecretKey: Sendable {
  /// 32: how many bytes a key has.
  public static let count = 32

  let bytes: SecretBytes

  /// A key of 32 bytes.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for any other number of them.
  public init(bytes: some Sequence<UInt8>) throws(SecretError) {
    try self.init(SecretBytes(copying: bytes))
  }

  /// A key of the 32 bytes that a secret holds.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for any other number of them.
  public init(_ secret: Secret) throws(SecretError) { try self.init(secret.bytes) }

  init(_ bytes: SecretBytes) throws(SecretError) {
    guard bytes.count == Self.count else { throw .invalidKey(.wrongLength(bytes.count)) }
    self.bytes = bytes
  }

  /// A new key, of the system's randomness.
  ///
  /// - Throws: ``SecretError/noRandomness``.
  public static func random() throws(SecretError) -> SecretKey {
    try SecretKey(SecretBytes.random(count: count))
  }

  /// The key in base64, for its operator to keep. Whoever has this text has the secrets.
  ///
  /// ```swift
  /// let key = try SecretKey.random()
  /// try key.base64().withBytes { try write($0, to: operatorsVault) }
  /// ```
  public func base64() -> Secret { Secret(Base64.encoded(bytes)) }
}

extension SecretKey: Equatable {
  /// Whether they are the same key, in constant time.
  public static func == (one: SecretKey, other: SecretKey) -> Bool { one.bytes.isEqual(to: other.bytes) }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the key.
  public var description: String { "SecretKey (redacted)" }
  /// Never the key.
  public var debugDescription: String { description }
  /// Without children: a dump shows what ``description`` says.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
