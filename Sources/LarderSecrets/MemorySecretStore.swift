import Synchronization

/// A store of secrets in memory, for tests. The secrets are lost with the store.
///
/// ```swift
/// let store = MemorySecretStore([SecretName(service: "api.example", account: "token"): Secret("a test's own")])
/// ```
public final class MemorySecretStore: SecretStore {
  private let secrets: Mutex<[SecretName: Secret]>

  /// Creates a store with initial secrets.
  public init(_ secrets: [SecretName: Secret] = [:]) { self.secrets = Mutex(secrets) }

  public func secret(for name: SecretName) async throws(SecretError) -> Secret? {
    try name.validate()
    return secrets.withLock { $0[name] }
  }

  public func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
    try name.validate()
    secrets.withLock { $0[name] = secret }
  }

  public func remove(_ name: SecretName) async throws(SecretError) {
    try name.validate()
    secrets.withLock { _ = $0.removeValue(forKey: name) }
  }

  public func names(of service: String) async throws(SecretError) -> [SecretName] {
    secrets.withLock { $0.keys.filter { $0.service == service } }.sorted()
  }
}
