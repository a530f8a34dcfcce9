#if os(Linux)
  import CLarderSecrets

  /// A store of secrets in the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, or another owner of the Secret Service's name
  /// on the session bus.
  ///
  /// ```swift
  /// if await SecretServiceStore.isAvailable {
  ///   let store = SecretServiceStore()
  ///   try await store.set(Secret(token), for: SecretName(service: "api.example", account: "refresh-token"))
  /// }
  /// ```
  ///
  /// The store uses libsecret, which is loaded on first use; it is not needed to build. Every program of the same user can read
  /// the secrets, and the user sees their names in the keyring's own window.
  ///
  /// A locked keyring prompts its user, who may take long: hence the time-out. With `allowsPrompts: false`, for background work, a
  /// locked keyring throws ``SecretError/locked`` instead; it is never treated as an empty one.
  public struct SecretServiceStore: SecretStore {
    /// The only queue of the process: libsecret has one connection, and each of its calls blocks.
    private static let queue = BlockingQueue(label: "larder.secrets.service")

    private let allowsPrompts: Bool
    private let timeout: Duration

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - asksUser: Whether the keyring may prompt its user to unlock it.
    ///   - timeout: The longest duration of one call, including the user's response and the wait for earlier calls of this process.
    public init(allowsPrompts asksUser: Bool = true, timeout: Duration = .seconds(120)) {
      self.allowsPrompts = asksUser
      self.timeout = timeout
    }

    /// Whether a session bus exists, with a Secret Service that responds within five seconds and has a keyring, locked or not.
    public static var isAvailable: Bool {
      get async {
        do {
          try await SecretServiceStore(allowsPrompts: false, timeout: .seconds(5)).checkAvailability()
          return true
        } catch {
          return false
        }
      }
    }

    /// Throws an error if the service is not available, with the reason that ``isAvailable`` does not give.
    ///
    /// ```swift
    /// try await SecretServiceStore(timeout: .seconds(5)).checkAvailability()
    /// ```
    ///
    /// - Throws: ``SecretError/unavailable(_:)`` with the missing part, or another ``SecretError`` if the service fails.
    public func checkAvailability() async throws(SecretError) {
      try await call { (cls_service_connect($0, $1), ()) }
    }

    public func secret(for name: SecretName) async throws(SecretError) -> Secret? {
      try name.validate()
      let prompts: Int32 = allowsPrompts ? 1 : 0
      return try await call { cancellable, failure in
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let outcome = cls_service_lookup(name.service, name.account, prompts, cancellable, &bytes, &count, failure)
        defer { cls_bytes_free(bytes, count) }
        return (outcome, bytes.map { Secret(SecretBytes(copying: UnsafeRawBufferPointer(start: $0, count: count))) })
      }
    }

    public func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
      try name.validate()
      let prompts: Int32 = allowsPrompts ? 1 : 0
      let label = "\(name.service) (\(name.account))"
      try await call { cancellable, failure in
        let outcome = secret.withBytes { bytes in
          cls_service_store(
            name.service, name.account, label, bytes.baseAddress, bytes.count, prompts, cancellable, failure)
        }
        return (outcome, ())
      }
    }

    public func remove(_ name: SecretName) async throws(SecretError) {
      try name.validate()
      let prompts: Int32 = allowsPrompts ? 1 : 0
      try await call { (cls_service_remove(name.service, name.account, prompts, $0, $1), ()) }
    }

    public func names(of service: String) async throws(SecretError) -> [SecretName] {
      guard !service.utf8.contains(0) else { throw .invalidName }
      let prompts: Int32 = allowsPrompts ? 1 : 0
      let accounts = try await call { cancellable, failure in
        var accounts: [String] = []
        let outcome = withUnsafeMutablePointer(to: &accounts) { accounts in
          cls_service_accounts(
            service, prompts, cancellable,
            { account, accounts in
              guard let account, let accounts else { return }
              accounts.assumingMemoryBound(to: [String].self).pointee.append(String(cString: account))
            }, accounts, failure)
        }
        return (outcome, accounts)
      }
      return Set(accounts).map { SecretName(service: service, account: $0) }.sorted()
    }

    private func call<R: Sendable>(_ work: @escaping ServiceCall<R>.Work) async throws(SecretError) -> R {
      guard cls_service_load() == 1 else { throw .unavailable(.library) }
      guard SessionBus.isAvailable else { throw .unavailable(.bus) }
      let call = ServiceCall<R>()
      let result: Result<R, SecretError> = await withTaskCancellationHandler {
        await call.run(on: Self.queue, timeout: timeout, work)
      } onCancel: {
        call.cancel(because: .cancelled)
      }
      return try result.get()
    }
  }
#endif
