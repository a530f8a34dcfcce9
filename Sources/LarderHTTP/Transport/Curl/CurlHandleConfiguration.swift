#if os(Linux)
  /// What a handle stands set to that a plain request wants as well: of one kind of request, most are like the one before.
  ///
  /// It says nothing of an address, a header or a body: none of these outlasts its request. Where a host is pinned there is
  /// no setting, and each request is set anew.
  struct CurlHandleConfiguration: Equatable, Sendable {
    private let readsWholeBody: Bool
    private let isSecure: Bool
    private let isLoopback: Bool

    /// Nil for a request that wants more than others do.
    init?(_ request: HTTPRequest, _ options: CurlTransport.Options) {
      guard request.method == .get, request.body == nil, options.pins.isEmpty else { return nil }
      readsWholeBody = request.readsWholeBody
      isSecure = request.url.hasScheme("https")
      isLoopback = options.proxy.appliesToRemoteHosts && request.url.isLoopback
    }
  }

  extension CurlTransport.Proxy {
    /// Whether there is one, which this machine itself is not asked through.
    fileprivate var appliesToRemoteHosts: Bool { if case .none = self { false } else { true } }
  }
#endif
