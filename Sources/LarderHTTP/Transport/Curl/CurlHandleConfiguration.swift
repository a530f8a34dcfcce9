#if os(Linux)
  /// The options of a handle that plain requests share: most requests are of the same kind as the one before.
  ///
  /// It contains no URL, header or body, since these end with their request. With pinned hosts there is no shared
  /// configuration, and each request sets all options.
  struct CurlHandleConfiguration: Equatable, Sendable {
    private let readsWholeBody: Bool
    private let isSecure: Bool
    private let isLoopback: Bool

    /// Creates a configuration, or nil for a request with options of its own.
    init?(_ request: HTTPRequest, _ options: CurlTransport.Options) {
      guard request.method == .get, request.body == nil, options.pins.isEmpty else { return nil }
      readsWholeBody = request.readsWholeBody
      isSecure = request.url.hasScheme("https")
      isLoopback = options.proxy.appliesToRemoteHosts && request.url.isLoopback
    }
  }

  extension CurlTransport.Proxy {
    /// Whether a proxy may be used, which requests to this machine itself bypass.
    fileprivate var appliesToRemoteHosts: Bool { if case .none = self { false } else { true } }
  }
#endif
