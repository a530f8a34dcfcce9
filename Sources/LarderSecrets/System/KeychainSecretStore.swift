#if canImport(Security)
  import Foundation
  import Security

  /// A store of secrets in Apple's Keychain, as generic passwords with a service and an account.
  ///
  /// ```swift
  /// let store = KeychainSecretStore()
  /// try await store.set(Secret(token), for: SecretName(service: "api.example", account: "refresh-token"))
  /// ```
  ///
  /// The secrets are accessible after the first unlock since the device started, and are in no backup that another device restores.
  public struct KeychainSecretStore: SecretStore {
    private static let queue = BlockingQueue(label: "larder.secrets.keychain")

    public init() {}

    public func secret(for name: SecretName) async throws(SecretError) -> Secret? {
      try name.check()
      return try await Self.queue.run { () throws(SecretError) in
        var query = Self.query(name.service, name.account)
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try Self.check(status)
        return (found as? Data).map { Secret($0) }
      }
    }

    public func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
      try name.check()
      try await Self.queue.run { () throws(SecretError) in
        let query = Self.query(name.service, name.account)
        let data = secret.withBytes { Data($0) }
        var added = query
        added[kSecValueData] = data
        added[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        var status = SecItemAdd(added as CFDictionary, nil)
        if status == errSecDuplicateItem {
          status = SecItemUpdate(query as CFDictionary, [kSecValueData: data] as CFDictionary)
        }
        try Self.check(status)
      }
    }

    public func remove(_ name: SecretName) async throws(SecretError) {
      try name.check()
      try await Self.queue.run { () throws(SecretError) in
        let status = SecItemDelete(Self.query(name.service, name.account) as CFDictionary)
        if status != errSecItemNotFound { try Self.check(status) }
      }
    }

    public func names(of service: String) async throws(SecretError) -> [SecretName] {
      try await Self.queue.run { () throws(SecretError) in
        var query = Self.query(service, nil)
        query[kSecReturnAttributes] = true
        query[kSecMatchLimit] = kSecMatchLimitAll
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return [] }
        try Self.check(status)
        let items = found as? [[String: Any]] ?? []
        return items.compactMap { $0[kSecAttrAccount as String] as? String }
          .map { SecretName(service: service, account: $0) }.sorted()
      }
    }

    private static func query(_ service: String, _ account: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      if let account { query[kSecAttrAccount] = account }
      return query
    }

    private static func check(_ status: OSStatus) throws(SecretError) {
      switch status {
      case errSecSuccess: return
      case errSecInteractionNotAllowed: throw .locked
      case errSecUserCanceled: throw .refused
      default: throw .keychain(status: status)
      }
    }
  }
#endif
