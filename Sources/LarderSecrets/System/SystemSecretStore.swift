public import Foundation

/// The store of this system: the desktop's keyring if there is one, otherwise an encrypted file.
///
/// ```swift
/// let store = try await SystemSecretStore.standard(
///   file: folder.appending(path: "secrets"), key: try .environment("LARDER_KEY"))
/// ```
///
/// The choice is made once, when there are no secrets yet, and recorded next to the file (`secrets.store`). A service without a
/// keyring does not count, as on a server that has one installed and no user who would unlock it.
///
/// The choice is permanent: if the keyring was chosen and is not available in a later run, for example one that `cron` or `ssh`
/// started, the call throws ``SecretError/unavailable(_:)`` and never opens a second, empty store. Likewise a program that began
/// with the file keeps it after a keyring becomes available. On Apple's systems the store is always the Keychain.
///
/// To change the store, copy the secrets by ``SecretStore/copySecrets(of:to:)`` and remove `secrets.store`. An existing encrypted
/// file is then chosen, so move it away, too, to choose the keyring.
public struct SystemSecretStore: SecretStore {
  /// The kinds of stores.
  public enum Kind: String, Sendable, Hashable {
    /// The desktop's keyring: ``SecretServiceStore``.
    case secretService = "secret-service"
    /// A file: ``EncryptedFileSecretStore``.
    case encryptedFile = "encrypted-file"
    /// Apple's Keychain.
    case keychain
  }

  /// The kind of the chosen store.
  public let kind: Kind
  private let store: any SecretStore

  init(_ kind: Kind, _ store: any SecretStore) {
    self.kind = kind
    self.store = store
  }

  /// Returns the store of this system.
  ///
  /// - Parameters:
  ///   - file: The URL of the encrypted file, which may not exist; its folder must exist.
  ///   - key: The file's key, evaluated only if the file is chosen.
  /// - Throws: ``SecretError`` if the chosen store is not available, or the choice cannot be read or written.
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

  /// Returns the store of this system, with a replaceable service for tests.
  ///
  /// - Parameter check: A closure that throws if the service is not available.
  package static func standard(
    file: URL, service: some SecretStore, key: () throws(SecretError) -> SecretKey,
    check: () async throws(SecretError) -> Void
  ) async throws(SecretError) -> SystemSecretStore {
    let choice = StoreChoice(file: file)
    var kind = try await choice.readKind()
    var fileKey: SecretKey?
    if kind == nil {
      var wanted = Kind.secretService
      // Only if there is no service: a service that does not respond now, or a cancelled task, causes no permanent choice.
      do { try await check() } catch .unavailable { wanted = .encryptedFile }
      // Before the choice is recorded: without a key there is no store.
      if wanted == .encryptedFile { fileKey = try key() }
      // Another process may have recorded its choice first.
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
