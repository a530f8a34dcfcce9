/// Where secrets are kept from one run to the next.
///
/// ```swift
/// let name = SecretName(service: "api.example", account: "refresh-token")
/// try await store.set(Secret(token), for: name)
/// let token = try await store.secret(for: name)
/// try await store.remove(name)
/// ```
///
/// The stores are ``EncryptedFileSecretStore``, ``SecretServiceStore``, the Keychain where there is one, and
/// ``MemorySecretStore`` for tests; ``SystemSecretStore`` chooses. Each may be used by many tasks at once.
public protocol SecretStore: Sendable {
  /// The secret of a name, or nil where there is none.
  ///
  /// ```swift
  /// guard let token = try await store.secret(for: name) else { return signIn() }
  /// ```
  ///
  /// - Throws: ``SecretError``: an invalid name; a file whose key is another one, that is damaged or that others may reach; a
  ///   keyring that is locked or not there. Nothing of it means that there is no secret.
  func secret(for name: SecretName) async throws(SecretError) -> Secret?

  /// Keeps a secret, in the place of the one that had the name. When this returns, it is there for good.
  ///
  /// - Throws: ``SecretError``, as ``secret(for:)`` does, and where it cannot be written: what was there is there still.
  func set(_ secret: Secret, for name: SecretName) async throws(SecretError)

  /// Removes a secret; nothing happens where there is none.
  ///
  /// - Throws: ``SecretError``, as ``set(_:for:)`` does.
  func remove(_ name: SecretName) async throws(SecretError)

  /// The names of the secrets that are for a service, in their order.
  ///
  /// - Throws: ``SecretError``, as ``secret(for:)`` does.
  func names(of service: String) async throws(SecretError) -> [SecretName]
}

extension SecretStore {
  /// Copies the secrets of a service into another store, over those that have the same names there.
  ///
  /// For who changes from one store to another. What was copied stays here, too, until it is removed.
  ///
  /// ```swift
  /// try await keyring.copySecrets(of: "api.example", to: file)
  /// ```
  ///
  /// - Throws: The first ``SecretError`` of either store; what was copied before stays.
  public func copySecrets(of service: String, to other: some SecretStore) async throws(SecretError) {
    for name in try await names(of: service) {
      // One that went meanwhile is not there to be copied.
      if let secret = try await secret(for: name) { try await other.set(secret, for: name) }
    }
  }
}
