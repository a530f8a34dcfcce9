public import Foundation

/// A store of secrets in a file that is encrypted with the caller's key.
///
/// ```swift
/// let store = EncryptedFileSecretStore(
///   file: URL(filePath: "/var/lib/app/secrets"), key: try .credential("larder-key"))
/// try await store.set(Secret(token), for: SecretName(service: "api.example", account: "refresh-token"))
/// ```
///
/// AES-256-GCM seals the file, including its header, with a key that is derived again for each write. From its creation on only its
/// user can read the file. Each write replaces the whole file, on the disk before `set` returns: a process that is killed during a
/// write leaves either the former secrets or the new ones. Any number of stores and processes may use the file at the same time.
///
/// A file that cannot be opened, for any reason, is an error, and remains unchanged: the store never replaces it by an empty one.
/// If
/// the file does not exist, there are no secrets, and the first ``set(_:for:)`` creates it; its folder must exist.
///
/// The store cannot detect a replay of an earlier file, since that file's key is correct.
public final class EncryptedFileSecretStore: SecretStore {
  /// The size of the largest file that is read or written: 1 MiB.
  public static let maximumFileSize = 1 << 20
  /// The longest wait for another process that holds the lock.
  private static let lockTimeout = Duration.seconds(30)

  /// The file with the secrets. Its lock, a hidden and empty file, is in the same folder.
  public let file: URL
  private let credential: SecretFileCredential
  private let lockTimeout: Duration
  private let queue = BlockingQueue(label: "larder.secrets.file")

  /// Creates a store with a key.
  public convenience init(file: URL, key: SecretKey) {
    self.init(file: file, credential: SecretFileCredential(key: key))
  }

  /// Creates a store whose key is derived from a passphrase, for users rather than servers.
  ///
  /// - Parameters:
  ///   - file: The file with the secrets.
  ///   - passphrase: The passphrase.
  ///   - cost: The cost of files that this store writes. An existing file is read with its own cost, up to ``ScryptCost/highest``.
  /// - Throws: ``SecretError/invalidKey(_:in:)`` for an empty passphrase.
  public convenience init(file: URL, passphrase: Secret, cost: ScryptCost = .standard) throws(SecretError) {
    self.init(file: file, credential: try SecretFileCredential(passphrase: passphrase, cost: cost))
  }

  /// Creates a store with another time-out for the lock, for tests.
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

  /// Encrypts the file with another key, and returns a store with that key. For this store the key is wrong afterwards.
  ///
  /// ```swift
  /// let store = try await EncryptedFileSecretStore(file: file, key: former).replaceKey(with: .environment("NEW_KEY"))
  /// ```
  ///
  /// Copies of the file, for example in backups, keep the former key.
  ///
  /// - Throws: ``SecretError`` if the file cannot be read or written; it keeps its former key in that case.
  public func replaceKey(with key: SecretKey) async throws(SecretError) -> EncryptedFileSecretStore {
    try await replaceCredential(SecretFileCredential(key: key))
  }

  /// Encrypts the file with another passphrase, and returns a store with that passphrase.
  ///
  /// - Throws: ``SecretError`` if the file cannot be read or written, or for an empty passphrase.
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

  /// Reads the secrets, changes them, and writes them, under the lock. `body` returns whether a secret has changed.
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
    // The key is derived again from the passphrase if another cost is requested.
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
