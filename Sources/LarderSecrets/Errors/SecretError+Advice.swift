internal import Foundation

extension SecretError {
  /// Advice for the user or operator, in a sentence or two.
  public var advice: String {
    switch self {
    case .invalidName:
      "A service and an account are texts of 1 to \(SecretName.maximumLength) bytes without a zero."
    case .invalidKey(let problem, _): problem.advice
    case .noRandomness: "Nothing was written; look at the system's log, and try again."
    case .wrongKey:
      "Nothing was changed; find the key or passphrase that it was written with, or move the file away to begin anew."
    case .keyTypeMismatch(_, let needsPassphrase):
      "Nothing was changed; open it with \(needsPassphrase ? "its passphrase" : "its key")."
    case .corrupted:
      "Nothing was changed; restore it from a backup, or move it away and enter the secrets again."
    case .notASecretFile: "Nothing was changed; name another file."
    case .unsupportedVersion: "Nothing was changed; open it with the version of Larder that wrote it, or a later one."
    case .excessiveCost: "Nothing was changed; restore the file from a backup, as Larder writes none like it."
    case .tooLarge: "Nothing was changed; keep large data elsewhere, encrypted by a key that is kept here."
    case .insecureFile(let file, let unsafety): unsafety.advice(file)
    case .busy(let file): "Nothing was changed; see with `fuser` who has the lock file beside \(file), and try again."
    case .system(.open, _, ENOENT): "The folder is not there: make it first, for this user alone (0700)."
    case .system(let call, _, _):
      switch call {
      case .harden: "Do not keep secrets in this process where a core may be left."
      case .flushFolder:
        "What was to be written is in its place, and may not outlast a power cut; see to the disk, then write it again."
      case .open, .read, .write, .lock, .flush, .rename:
        "The file is as it was; see that its folder is there, is this user's, and has room."
      }
    case .unavailable(let absence): absence.advice
    case .locked: "Unlock it, or let the store ask the user."
    case .userDeclined: "Ask again when the user wants it."
    case .timedOut: "See whether the keyring waits for an answer of its user, and try again."
    case .cancelled: "What was to be written may have been written."
    case .service: "Look at the keyring's log, and try again."
    case .keychain: "Look the status up with `security error`."
    }
  }
}

extension SecretError.InvalidKeyReason {
  var advice: String {
    switch self {
    case .hexadecimal:
      "Give its bytes in base64: `xxd -r -p | base64`, or make one with `openssl rand -base64 \(SecretKey.count)`."
    case .wrongLength, .notBase64: "Make one with `openssl rand -base64 \(SecretKey.count)`."
    case .encodedDigits:
      "Make one with `openssl rand -base64 \(SecretKey.count)`; secrets that were kept with these digits are opened by "
        + "SecretKey(bytes:), and given the new key by replaceKey(with:)."
    case .missingVariable(let name): "Set \(name) to the key in base64."
    case .missingFile:
      "Put the key there that the secrets were written with. If there are none yet, make one: "
        + "(umask 077; openssl rand -base64 32 > FILE)."
    case .missingCredentialsDirectory:
      "Name the credential in the service's unit by LoadCredential= or LoadCredentialEncrypted=."
    case .emptyPassphrase: "Give one that nobody guesses."
    case .derivationFailed: "See that there is memory left, and try again."
    }
  }
}

extension SecretError.InsecureFileReason {
  func advice(_ file: String) -> String {
    switch self {
    case .permissions: "Consider what it holds as seen by others, then `chmod 600 \(file)`."
    case .owner: "Run as its owner, or give it to this user by `chown`."
    case .symbolicLink, .notRegular: "Name the file itself."
    }
  }
}

extension SecretError.UnavailableReason {
  var advice: String {
    switch self {
    case .library: "Install libsecret (on Debian libsecret-1-0), or use an EncryptedFileSecretStore."
    case .bus: "Run in a desktop's session or by `dbus-run-session`, or use an EncryptedFileSecretStore."
    case .keyring: "Have the user make one, or log in to the desktop once, or use an EncryptedFileSecretStore."
    case .service: "Start a keyring such as gnome-keyring or KeePassXC, or use an EncryptedFileSecretStore."
    }
  }
}
