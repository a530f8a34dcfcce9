/// An error of a ``SecretStore``. Its ``description`` contains advice.
///
/// ```swift
/// do {
///   token = try await store.secret(for: name)
/// } catch .wrongKey {
///   exit("Is LARDER_KEY that of this machine?")
/// } catch {
///   exit("\(error)")
/// }
/// ```
///
/// An error contains paths, numbers, and the names of variables, but no secret, no key and no account.
public enum SecretError: Error, Sendable, Hashable {
  // MARK: Names and keys

  /// A service or an account is empty, longer than ``SecretName/maximumLength``, or contains a zero byte.
  case invalidName
  /// The key is unusable. The associated text is the name of its environment variable or the path of its file, if it was read from
  /// one.
  case invalidKey(InvalidKeyReason, in: String? = nil)
  /// The system provides no random bytes, which encryption requires.
  case noRandomness

  // MARK: The encrypted file

  /// The file is intact, and the key or passphrase is not the file's.
  case wrongKey(file: String)
  /// The file was created with a passphrase, and a key was passed; or the reverse.
  case keyTypeMismatch(file: String, needsPassphrase: Bool)
  /// The file is damaged.
  case corrupted(file: String, CorruptionReason)
  /// The file has another format.
  case notASecretFile(file: String)
  /// A later version of Larder wrote the file.
  case unsupportedVersion(file: String, version: Int)
  /// The key derivation of the file's passphrase requires more memory or time than is allowed.
  case excessiveCost(file: String)
  /// The file is, or would become, larger than the limit, in bytes.
  case tooLarge(file: String, limit: Int)
  /// Other users could have read or written the file.
  case insecureFile(file: String, InsecureFileReason)
  /// Another process has held the file's lock for too long.
  case busy(file: String)
  /// A system call failed.
  case system(SystemOperation, file: String, errno: Int32)

  // MARK: The Secret Service and the Keychain

  /// No Secret Service is available.
  case unavailable(UnavailableReason)
  /// The keyring is locked, and prompts are not allowed.
  case locked
  /// The user was prompted, and declined.
  case userDeclined
  /// The service did not respond in time.
  case timedOut
  /// The task was cancelled.
  case cancelled
  /// The service failed. The error has the service's own domain and code.
  case service(domain: String, code: Int)
  /// The Keychain failed. The error has its `OSStatus`.
  case keychain(status: Int32)
}

extension SecretError {
  /// The reason for an unusable key.
  public enum InvalidKeyReason: Sendable, Hashable {
    /// The key has the specified number of bytes, and not 32.
    case wrongLength(Int)
    /// The text is no base64.
    case notBase64
    /// The text is in hexadecimal.
    case hexadecimal
    /// The file has 32 digits of hexadecimal or base64 instead of 32 bytes: most likely the text of a shorter key.
    case encodedDigits
    /// The environment has no variable with the name.
    case missingVariable(String)
    /// The file does not exist.
    case missingFile(String)
    /// `CREDENTIALS_DIRECTORY` is not set: systemd has passed no credentials.
    case missingCredentialsDirectory
    /// The passphrase has no bytes.
    case emptyPassphrase
    /// OpenSSL could not derive the key, for example for lack of memory.
    case derivationFailed
  }

  /// The kind of damage to a file.
  public enum CorruptionReason: String, Sendable, Hashable {
    /// The file has no bytes.
    case empty
    /// The end of the file is missing.
    case truncated
    /// Additional bytes follow the end.
    case overlong
    /// The header is damaged.
    case header
    /// The contents are damaged, or were written without the key.
    case contents
  }

  /// The reason why other users could have accessed a file.
  public enum InsecureFileReason: Sendable, Hashable {
    /// The file's group or others may read or write it; the value is the mode's permissions.
    case permissions(Int)
    /// The file belongs to another user; the value is the user ID.
    case owner(UInt32)
    /// The name is a symbolic link.
    case symbolicLink
    /// The name is that of a folder, a pipe, a device or a socket.
    case notRegular
  }

  /// The system operation that failed.
  public enum SystemOperation: String, Sendable, Hashable {
    /// Opening the file or its folder.
    case open
    /// Reading the file.
    case read
    /// Writing a new file in the same folder.
    case write
    /// Locking the file's companion.
    case lock
    /// Flushing the new file to the disk.
    case flush
    /// Renaming the new file to the file's name.
    case rename
    /// Flushing the folder to the disk: the new file is in its place already.
    case flushFolder
    /// Disabling core dumps: ``ProcessHardening/disableCoreDumps()``.
    case harden
  }

  /// The missing part of the Secret Service.
  public enum UnavailableReason: String, Sendable, Hashable {
    /// The library `libsecret-1.so.0` is not installed.
    case library
    /// The process has no session bus, or cannot connect to it.
    case bus
    /// No process on the bus owns the service's name.
    case service
    /// The service has no default keyring, and creating one would prompt the user.
    case keyring
  }
}
