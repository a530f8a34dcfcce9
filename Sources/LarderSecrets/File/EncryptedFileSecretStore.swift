public import Foundation

/// Secrets in a file that is encrypted with a key of the caller's.
///
/// ```swift
/// let store = EncryptedFileSecretStore(
///   file: URL(filePath: "/var/lib/app/secrets"), key: try .credential("larder-key"))
/// try await store.set(Secret(token), for: SecretName(service: "api.example", account: "refresh-token"))
/// ```
///
/// The file is sealed by AES-256-GCM, header and all, with a key that is derived anew for each writing. It is readable by
/// nobody but its user from its first moment, and is replaced as a whole, on the disk before `set` returns: whoever is
/// killed meanwhile leaves the former secrets or the new ones. Any number of stores and processes may use it at once.
///
/// A file that cannot be opened, for whatever reason, is an error, and stays as it is: it is never begun anew. Where there
/// is none, there are no secrets, and the first ``set(_:for:)`` makes one; its folder must be there.
///
/// What it does not see is a former file that somebody has put back: its key is the right one.
public final class EncryptedFileSecretStore: SecretStore {
  /// 1 MiB: the largest file that is read or written.
  public static let maximumFileSize = 1 << 20
  /// How long another process may have the file to itself.
  private static let lockTimeout = Duration.seconds(30)

  /// The file that holds the secrets. Beside it, its lock, which is hidden and empty.
  public let file: URL
  private let credential: SecretFileCredential
  private let lockTimeout: Duration
  private let queue = BlockingQueue(label: "larder.secrets.file")

  /// A store whose key the caller has.
  public convenience init(file: URL, key: SecretKey) {
    self.init(file: file, credential: SecretFileCredential(key: key))
  }

  /// A store whose key is made of a passphrase, for people rather than servers.
  ///
  /// The cost is that of what this store writes. A file that is there is read by its own, up to ``ScryptCost/maximumHeight``.
  ///
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for a passphrase without a byte.
  public convenience init(file: URL, passphrase: Secret, cost: ScryptCost = .standard) throws(SecretError) {
    self.init(file: file, credential: try SecretFileCredential(passphrase: passphrase, cost: cost))
  }

  /// For tests that do not wait as long.
  package convenience init(file: URL, key: SecretKey, lockTimeout patience: Duration) {
    self.init(file: file, credential: SecretFileCredential(key: key), lockTimeout: patience)
  }

  init(
    file: URL, credential unlocking: SecretFileCredential,
    lockTimeout patience: Duration = EncryptedFileSecretStore.lockTimeout
  ) {
    self.file = file
    self.credential = unlocking
    self.lockTimeout = patience
  }

  public func secret(for name: SecretName) async throws(SecretError) -> Secret? {
    try name.validate()
    return try await queue.run { [self] () throws(SecretError) in
      try contents(of: SecretFolder(of: file)).secrets[name]
    }
  }

  public func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
    try name.validate()
    try await update { secrets in
      secrets[name] = secret
      return true
    }
  }

  public func remove(_ name: SecretName) async throws(SecretError) {
    try name.validate()
    try await update { $0.removeValue(forKey: name) != nil }
  }

  public func names(of service: String) async throws(SecretError) -> [SecretName] {
    try await queue.run { [self] () throws(SecretError) in
      try contents(of: SecretFolder(of: file)).secrets.keys.filter { $0.service == service }.sorted()
    }
  }

  /// Encrypts the file with another key, and returns the store that has it. For this one the key is a wrong one then.
  ///
  /// ```swift
  /// let store = try await EncryptedFileSecretStore(file: file, key: former).replacingKey(with: .environment("NEW_KEY"))
  /// ```
  ///
  /// The file's other copies, in backups, say, keep the former key.
  ///
  /// - Throws: ``SecretError``, as reading and writing do; the file has its former key then.
  public func replaceKey(with key: SecretKey) async throws(SecretError) -> EncryptedFileSecretStore {
    try await replaceCredential(SecretFileCredential(key: key))
  }

  /// Encrypts the file with another passphrase, and returns the store that has it.
  ///
  /// - Throws: As ``replaceKey(with:)`` does, and for a passphrase without a byte.
  public func replaceKey(withPassphrase passphrase: Secret, cost: ScryptCost = .standard) async throws(SecretError)
    -> EncryptedFileSecretStore
  {
    try await replaceCredential(SecretFileCredential(passphrase: passphrase, cost: cost))
  }

  private func replaceCredential(_ other: SecretFileCredential) async throws(SecretError) -> EncryptedFileSecretStore {
    try await queue.run { [self] () throws(SecretError) in
      let folder = try SecretFolder(of: file)
      try folder.withLock(timeout: lockTimeout) { (lock) throws(SecretError) in
        try write(try contents(of: folder).secrets, to: folder, under: lock, with: other, salt: nil)
      }
    }
    return EncryptedFileSecretStore(file: file, credential: other, lockTimeout: lockTimeout)
  }

  private typealias Contents = (secrets: [SecretName: Secret], passphraseSalt: [UInt8]?)

  /// Reads what is there, changes it, and writes it, while nobody else does. `body` says whether anything has changed.
  private func update(_ body: @escaping @Sendable (inout [SecretName: Secret]) -> Bool) async throws(SecretError) {
    try await queue.run { [self] () throws(SecretError) in
      let folder = try SecretFolder(of: file)
      try folder.withLock(timeout: lockTimeout) { (lock) throws(SecretError) in
        var (secrets, salt) = try contents(of: folder)
        guard body(&secrets) else { return }
        try write(secrets, to: folder, under: lock, with: credential, salt: salt)
      }
    }
  }

  private func contents(of folder: borrowing SecretFolder) throws(SecretError) -> Contents {
    guard let bytes = try folder.read(limit: Self.maximumFileSize) else { return ([:], nil) }
    let (plain, header) = try SecretFileCipher.open(bytes, with: credential, file: folder.filePath)
    guard let secrets = SecretEntries.decoded(plain) else { throw .corrupted(file: folder.filePath, .contents) }
    // The key of a passphrase is made anew where another cost is asked for.
    return (secrets, header.cost == credential.cost ? header.passphraseSalt : nil)
  }

  private func write(
    _ secrets: [SecretName: Secret], to folder: borrowing SecretFolder, under lock: borrowing FileDescriptor,
    with unlocking: SecretFileCredential, salt: [UInt8]?
  ) throws(SecretError) {
    let bytes = try SecretFileCipher.seal(SecretEntries.encoded(secrets), with: unlocking, salt: salt)
    guard bytes.count <= Self.maximumFileSize else {
      throw .tooLarge(file: folder.filePath, limit: Self.maximumFileSize)
    }
    try folder.replace(with: bytes, under: lock)
  }
}
