public import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SecretKey {
  /// Reads a key in base64 from an environment variable.
  ///
  /// ```swift
  /// let key = try SecretKey.environment("LARDER_KEY")
  /// ```
  ///
  /// Other processes of the same user can read the environment, and child processes inherit it: prefer ``credential(_:)`` or
  /// ``file(_:)``.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` if the variable is missing, or is no base64 of 32 bytes.
  public static func environment(_ name: String) throws(SecretError) -> SecretKey {
    guard let text = getenv(name) else { throw .invalidKey(.missingVariable(name)) }
    return try SecretKey(text: UnsafeRawBufferPointer(start: text, count: strlen(text)), in: name)
  }

  /// Reads a key that systemd passes to a service as a credential: `$CREDENTIALS_DIRECTORY/name`.
  ///
  /// ```ini
  /// [Service]
  /// LoadCredentialEncrypted=larder-key:/etc/app/larder-key.cred
  /// ```
  ///
  /// The file contains 32 bytes, or their base64. 32 digits of hexadecimal or base64 are rejected: they are text, and half a key at
  /// most.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for an unusable key, ``SecretError/invalidName`` for a name with a slash, and
  ///   another
  ///   ``SecretError`` if the file cannot be read.
  public static func credential(_ name: String) throws(SecretError) -> SecretKey {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else { throw .invalidName }
    guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), folder.hasPrefix("/") else {
      throw .invalidKey(.missingCredentialsDirectory)
    }
    // systemd has its own user own credentials. This user may read them by an access list, which shows as a group's permission.
    return try read(URL(filePath: folder).appending(path: name), checksPermissions: false)
  }

  /// Reads a key from a file: 32 bytes, or their base64. Only this user may have read permission for the file. 32 digits of
  /// hexadecimal or base64 are rejected: they are text, and half a key at most.
  ///
  /// ```swift
  /// let key = try SecretKey.file(URL(filePath: "/etc/app/larder-key"))
  /// ```
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for an unusable key, ``SecretError/insecureFile(file:_:)`` if other users may read
  ///   the file, and another ``SecretError`` if it cannot be read.
  public static func file(_ file: URL) throws(SecretError) -> SecretKey { try read(file, checksPermissions: true) }

  /// Larger than any key in base64 with a line end.
  private static let maximumFileSize = 256

  private static func read(_ file: URL, checksPermissions checks: Bool) throws(SecretError) -> SecretKey {
    let folder = try SecretFolder(of: file)
    guard var bytes = try folder.read(limit: maximumFileSize, checksPermissions: checks) else {
      throw .invalidKey(.missingFile(folder.filePath))
    }
    defer { wipe(&bytes) }
    if bytes.count == count {
      // Of random keys not one in 10¹⁸ consists of such digits; `openssl rand -hex 16` always does, and has only 128 bits.
      guard !bytes.allSatisfy(Base64.isDigit) else { throw .invalidKey(.encodedDigits, in: folder.filePath) }
      return try SecretKey(bytes: bytes)
    }
    let key: Result<SecretKey, SecretError> = bytes.withUnsafeBytes { text in
      do throws(SecretError) { return .success(try SecretKey(text: text, in: folder.filePath)) } catch {
        return .failure(error)
      }
    }
    return try key.get()
  }

  /// Returns whether the text is 16 or 32 bytes in hexadecimal. Its digits are base64 digits as well, for another length.
  private static func isHexadecimal(_ text: UnsafeRawBufferPointer) -> Bool {
    let digits = text.count { !" \t\r\n".utf8.contains($0) }
    guard digits == count || digits == 2 * count else { return false }
    return text.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
      default: " \t\r\n".utf8.contains(byte)
      }
    }
  }

  /// Creates a key from text.
  ///
  /// - Parameter place: The variable or file of the text, for errors.
  private init(text: UnsafeRawBufferPointer, in place: String) throws(SecretError) {
    if Self.isHexadecimal(text) { throw .invalidKey(.hexadecimal, in: place) }
    guard let bytes = Base64.decoded(text) else { throw .invalidKey(.notBase64, in: place) }
    guard bytes.count == Self.count else { throw .invalidKey(.wrongLength(bytes.count), in: place) }
    try self.init(bytes)
  }
}
