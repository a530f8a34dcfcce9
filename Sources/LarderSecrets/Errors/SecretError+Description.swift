public import Foundation

extension SecretError: CustomStringConvertible {
  /// The failed operation, and advice. It contains no secret.
  public var description: String { "\(summary). \(advice)" }
}

extension SecretError: LocalizedError {
  /// The same text as ``description``: the failed operation, and advice.
  public var errorDescription: String? { description }
  /// The same text as ``summary``.
  public var failureReason: String? { summary }
  /// The same text as ``advice``.
  public var recoverySuggestion: String? { advice }
}

extension SecretError {
  /// The failed operation, in one sentence without its full stop.
  public var summary: String {
    switch self {
    case .invalidName: "The name of a secret cannot be used"
    case .invalidKey(let problem, let place):
      "The key\(place.map { " in " + $0 } ?? "") cannot be used: \(problem.summary)"
    case .noRandomness: "The system gives no random bytes"
    case .wrongKey(let file): "This is not the key of \(file)"
    case .keyTypeMismatch(let file, let needsPassphrase):
      "\(file) was made with \(needsPassphrase ? "a passphrase, and a key" : "a key, and a passphrase") was given"
    case .corrupted(let file, let damage): "\(file) is damaged: \(damage.summary)"
    case .notASecretFile(let file): "\(file) is no file of secrets"
    case .unsupportedVersion(let file, let version): "\(file) has version \(version) of the format"
    case .excessiveCost(let file): "\(file) asks for too much to make a key of its passphrase"
    case .tooLarge(let file, let limit): "\(file) is larger than \(limit) bytes, or would become so"
    case .insecureFile(let file, let unsafety): "\(file) is not safe: \(unsafety.summary)"
    case .busy(let file): "Another process keeps \(file) locked"
    case .system(let call, let file, let number):
      "\(file.isEmpty ? "The process" : file) cannot be \(call.participle): \(String(cString: strerror(number)))"
    case .unavailable(let absence): "The Secret Service cannot be used: \(absence.summary)"
    case .locked: "The keyring is locked"
    case .userDeclined: "The user did not unlock the keyring"
    case .timedOut: "The Secret Service did not answer in time"
    case .cancelled: "The task was cancelled"
    case .service(let domain, let code): "The Secret Service failed (\(domain) \(code))"
    case .keychain(let status): "The Keychain failed (status \(status))"
    }
  }
}

extension SecretError.InvalidKeyReason {
  var summary: String {
    switch self {
    case .wrongLength(let count): "it has \(count) bytes, not \(SecretKey.count)"
    case .notBase64: "it is no base64"
    case .hexadecimal: "it is in hexadecimal, and no base64"
    case .encodedDigits: "it is \(SecretKey.count) digits, which are text and not a key's bytes"
    case .missingVariable(let name): "the environment has no \(name)"
    case .missingFile(let file): "there is no file \(file)"
    case .missingCredentialsDirectory: "the environment has no CREDENTIALS_DIRECTORY"
    case .emptyPassphrase: "the passphrase is empty"
    case .derivationFailed: "it cannot be derived"
    }
  }
}

extension SecretError.CorruptionReason {
  var summary: String {
    switch self {
    case .empty: "it is empty"
    case .truncated: "its end is missing"
    case .overlong: "something follows its end"
    case .header: "its header has changed"
    case .contents: "its contents have changed"
    }
  }
}

extension SecretError.InsecureFileReason {
  var summary: String {
    switch self {
    case .permissions(let mode): "its mode is 0\(String(mode, radix: 8)), so others than its owner may reach it"
    case .owner(let user): "it is owned by user \(user)"
    case .symbolicLink: "it is a symbolic link"
    case .notRegular: "it is no regular file"
    }
  }
}

extension SecretError.SystemOperation {
  var participle: String {
    switch self {
    case .open: "opened"
    case .read: "read"
    case .write: "written"
    case .lock: "locked"
    case .flush: "flushed to the disk"
    case .rename: "replaced"
    case .flushFolder: "flushed to the disk under its name"
    case .harden: "kept from leaving a core"
    }
  }
}

extension SecretError.UnavailableReason {
  var summary: String {
    switch self {
    case .library: "libsecret-1.so.0 is not installed"
    case .bus: "this process has no session bus"
    case .service: "nobody on the session bus answers for it"
    case .keyring: "it has no keyring yet"
    }
  }
}
