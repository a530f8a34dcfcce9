/// A failure of a ``SecretStore``. Its ``description`` says what to do.
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
/// No secret and no key is in it, and no account: paths, numbers, and the names of variables.
public enum SecretError: Error, Sendable, Hashable {
  // MARK: Names and keys

  /// A service or an account is empty, longer than ``SecretName/longest``, or has a zero in it.
  case invalidName
  /// The key cannot be used. It is in a variable of this name or a file at this path, where it was read from one.
  case invalidKey(InvalidKeyReason, in: String? = nil)
  /// The system gives no random bytes, without which nothing can be encrypted.
  case noRandomness

  // MARK: The encrypted file

  /// The file is whole, and this is not its key or passphrase.
  case wrongKey(file: String)
  /// The file was made with a passphrase, and a key was given; or the other way round.
  case keyTypeMismatch(file: String, needsPassphrase: Bool)
  /// The file is not as it was written.
  case corrupted(file: String, CorruptionReason)
  /// The file is something else.
  case notASecretFile(file: String)
  /// A later Larder wrote the file.
  case unsupportedVersion(file: String, version: Int)
  /// The file asks for more memory or time to make a key of its passphrase than is allowed.
  case excessiveCost(file: String)
  /// The file is, or would become, larger than is allowed, in bytes.
  case tooLarge(file: String, limit: Int)
  /// Others than this user could have read or written the file.
  case insecureFile(file: String, InsecureFileReason)
  /// Another process has had the file locked for too long.
  case busy(file: String)
  /// The system failed.
  case system(SystemOperation, file: String, errno: Int32)

  // MARK: The Secret Service and the Keychain

  /// There is no Secret Service to talk to.
  case unavailable(UnavailableReason)
  /// The keyring is locked, and nobody was asked to unlock it.
  case locked
  /// The user was asked, and refused.
  case userDeclined
  /// The service did not answer in time.
  case timedOut
  /// The task was cancelled.
  case cancelled
  /// The service failed, by its own code.
  case service(domain: String, code: Int)
  /// The Keychain failed, by its `OSStatus`.
  case keychain(status: Int32)
}

extension SecretError {
  /// What is wrong with a key.
  public enum InvalidKeyReason: Sendable, Hashable {
    /// It has so many bytes, and not 32.
    case wrongLength(Int)
    /// Its text is no base64.
    case notBase64
    /// Its text is in hexadecimal.
    case hexadecimal
    /// Its file holds 32 digits of hexadecimal or base64, and no 32 bytes: text of a shorter key, most likely.
    case encodedDigits
    /// The environment has no such variable.
    case missingVariable(String)
    /// There is no such file.
    case missingFile(String)
    /// `CREDENTIALS_DIRECTORY` is not set: systemd has handed over no credentials.
    case missingCredentialsDirectory
    /// A passphrase has no bytes.
    case emptyPassphrase
    /// OpenSSL could not derive it, for want of memory, say.
    case derivationFailed
  }

  /// How a file is damaged.
  public enum CorruptionReason: String, Sendable, Hashable {
    /// It has no bytes.
    case empty
    /// Its end is missing.
    case truncated
    /// Something follows its end.
    case overlong
    /// Its header is not as it was written.
    case header
    /// What it holds is not as it was written, or was put there by somebody without the key.
    case contents
  }

  /// Who else could have reached a file.
  public enum InsecureFileReason: Sendable, Hashable {
    /// Its group or others may read or write it: the mode's permissions.
    case permissions(Int)
    /// It is somebody else's: the user's number.
    case owner(UInt32)
    /// The name leads elsewhere.
    case symbolicLink
    /// It is a folder, a pipe, a device or a socket.
    case notRegular
  }

  /// What the system was asked for.
  public enum SystemOperation: String, Sendable, Hashable {
    /// To open the file or its folder.
    case open
    /// To read the file.
    case read
    /// To write a new file beside it.
    case write
    /// To lock it by its companion.
    case lock
    /// To have the disk keep what was written.
    case flush
    /// To put the new file in its place.
    case rename
    /// To have the disk keep that it is in its place: it is there already.
    case flushFolder
    /// To leave no core: ``ProcessHardening/disableCoreDumps()``.
    case harden
  }

  /// What there is not.
  public enum UnavailableReason: String, Sendable, Hashable {
    /// There is no `libsecret-1.so.0`.
    case library
    /// This process has no session bus, or it cannot be reached.
    case bus
    /// Nobody on the bus answers to the service's name.
    case service
    /// The service has no default keyring, and making one would ask the user.
    case keyring
  }
}
