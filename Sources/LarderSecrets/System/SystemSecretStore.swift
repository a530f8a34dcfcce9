public import Foundation

/// The store that this system has: the desktop's keyring where there is one, else an encrypted file.
///
/// ```swift
/// let store = try await SystemSecretStore.standard(
///   file: folder.appending(path: "secrets"), key: try .environment("LARDER_KEY"))
/// ```
///
/// Which of the two it is, is decided once, when there are no secrets yet (a service without a keyring is none, as on a
/// server that has one installed and no user who would unlock it), and written beside the file (`secrets.store`).
/// It stays so: where the keyring was taken and is not there in a later run, in one that `cron` or `ssh` has begun, say,
/// that is ``SecretError/unavailable(_:)``, and no second, empty store. Likewise who began with the file stays with it when
/// a keyring appears. On Apple's systems it is the Keychain, always.
///
/// To change, copy the secrets by ``SecretStore/copySecrets(of:to:)`` and remove `secrets.store`; an encrypted file that is
/// still there is taken then, so move it away, too, where the keyring is wanted.
public struct SystemSecretStore: SecretStore {
  /// What keeps the secrets.
  public enum Kind: String, Sendable, Hashable {
    /// The desktop's keyring: ``SecretServiceStore``.
    case secretService = "secret-service"
    /// A file: ``EncryptedFileSecretStore``.
    case encryptedFile = "encrypted-file"
    /// Apple's Keychain.
    case keychain
  }

  /// What keeps the secrets.
  public let kind: Kind
  private let store: any SecretStore

  init(_ kind: Kind, _ store: any SecretStore) {
    self.kind = kind
    self.store = store
  }

  /// The store of this system.
  ///
  /// - Parameters:
  ///   - file: Where the encrypted file is, or would be; its folder must be there.
  ///   - key: The file's key, evaluated only where the file is taken.
  public static func standard(
    file: URL, key: @autoclosure () throws(SecretError) -> SecretKey
  ) async throws(SecretError) -> SystemSecretStore {
    #if canImport(Security)
      return SystemSecretStore(.keychain, KeychainSecretStore())
    #elseif os(Linux)
      return try await standard(file: file, service: SecretServiceStore(), key: key) { () async throws(SecretError) in
        try await SecretServiceStore(allowsPrompts: false, timeout: .seconds(5)).checkAvailability()
      }
    #else
      return SystemSecretStore(.encryptedFile, EncryptedFileSecretStore(file: file, key: try key()))
    #endif
  }

  /// - Parameter check: Throws where the service is not there.
  package static func standard(
    file: URL, service: some SecretStore, key: () throws(SecretError) -> SecretKey,
    check: () async throws(SecretError) -> Void
  ) async throws(SecretError) -> SystemSecretStore {
    let choice = StoreChoice(file: file)
    var kind = try await choice.readKind()
    var fileKey: SecretKey?
    if kind == nil {
      var wanted = Kind.secretService
      // Only where there is none: one that does not answer now, or a task that is cancelled, decides nothing for good.
      do { try await check() } catch .unavailable { wanted = .encryptedFile }
      // Before anything is written: without a key there is no store.
      if wanted == .encryptedFile { fileKey = try key() }
      // Another process may have been first, and has decided.
      kind = try await choice.recordKind(wanted)
    }
    if kind == .encryptedFile {
      let fileKey = if let fileKey { fileKey } else { try key() }
      return SystemSecretStore(.encryptedFile, EncryptedFileSecretStore(file: file, key: fileKey))
    }
    try await check()
    return SystemSecretStore(.secretService, service)
  }

  public func secret(for name: SecretName) async throws(SecretError) -> Secret? { try await store.secret(for: name) }

  public func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
    try await store.set(secret, for: name)
  }

  public func remove(_ name: SecretName) async throws(SecretError) { try await store.remove(name) }

  public func names(of service: String) async throws(SecretError) -> [SecretName] {
    try await store.names(of: service)
  }
}
