/// A persistent store of secrets.
///
/// ```swift
/// let name = SecretName(service: "api.example", account: "refresh-token")
/// try await store.set(Secret(token), for: name)
/// let token = try await store.secret(for: name)
/// try await store.remove(name)
/// ```
///
/// The stores are ``EncryptedFileSecretStore``, ``SecretServiceStore``, the Keychain on Apple's platforms, and
/// ``MemorySecretStore``
/// for tests; ``SystemSecretStore`` chooses one. Each may be used by many tasks at the same time.
public protocol SecretStore: Sendable {
  /// Returns the secret with the specified name, or `nil` if there is none.
  ///
  /// ```swift
  /// guard let token = try await store.secret(for: name) else { return signIn() }
  /// ```
  ///
  /// - Throws: ``SecretError`` for an invalid name; for a file with another key, with damage, or with access by other users; for a
  ///   keyring that is locked or unavailable. No error means that the secret does not exist.
  func secret(for name: SecretName) async throws(SecretError) -> Secret?

  /// Stores a secret, and replaces an earlier one with the same name. The secret is durable when this function returns.
  ///
  /// - Throws: ``SecretError`` as for ``secret(for:)``, or if the secret cannot be written; the earlier secrets remain unchanged.
  func set(_ secret: Secret, for name: SecretName) async throws(SecretError)

  /// Removes a secret. Does nothing if there is none.
  ///
  /// - Throws: ``SecretError`` as for ``set(_:for:)``.
  func remove(_ name: SecretName) async throws(SecretError)

  /// Returns the names of a service's secrets, sorted.
  ///
  /// - Throws: ``SecretError`` as for ``secret(for:)``.
  func names(of service: String) async throws(SecretError) -> [SecretName]
}

extension SecretStore {
  /// Copies the secrets of a service into another store, and replaces secrets with the same names there.
  ///
  /// Use it to migrate to another store. The originals stay in this store until they are removed.
  ///
  /// ```swift
  /// try await keyring.copySecrets(of: "api.example", to: file)
  /// ```
  ///
  /// - Throws: The first ``SecretError`` of either store; secrets that were already copied stay.
  public func copySecrets(of service: String, to other: some SecretStore) async throws(SecretError) {
    for name in try await names(of: service) {
      // A secret that was removed meanwhile is skipped.
      if let secret = try await secret(for: name) { try await other.set(secret, for: name) }
    }
  }
}
