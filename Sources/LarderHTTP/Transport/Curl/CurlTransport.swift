#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  public import Foundation

  /// A transport with libcurl: HTTP/1.1 and 2, connection reuse, IPv6, proxies from the environment, and bodies in gzip, deflate,
  /// brotli or zstd.
  ///
  /// The transfers of one transport share a thread, which sleeps while no data moves, and a set of connections. Transfers over
  /// TLS with streamed bodies have another thread and set. Certificates are always verified.
  ///
  /// ```swift
  /// let transport = CurlTransport()
  /// let client = HTTPClient(baseURL: api, transport: transport)
  /// ```
  ///
  /// A compressed body is decompressed while it is read, up to ``Limits/decompressedBody``; one that breaks off is an error
  /// (``ConnectionFailure/compression``). A request with its own `Accept-Encoding` receives the body as it is.
  ///
  /// It requires libcurl 7.80 or later. No more of a body is read from the network than its reader takes, except for
  /// ``Options/bufferedBytes``.
  public final class CurlTransport: HTTPTransport {
    /// The settings of a transport.
    ///
    /// ```swift
    /// var options = CurlTransport.Options()
    /// options.proxy = .none
    /// let transport = CurlTransport(options: options)
    /// ```
    public struct Options: Sendable {
      /// The source of proxies.
      public var proxy = Proxy.environment
      /// The authorities whose certificates are trusted.
      public var trustRoots = TrustRoots.system
      /// The public keys that hosts are pinned to.
      public var pins = KeyPins()
      /// Receives events of connections and redirects that violate the pins, rejected or not. It may be called on the transport's
      /// thread: return quickly.
      public var pinObserver: (@Sendable (PinEvent) -> Void)?
      /// The highest number of connections to one host at the same time; 0 for no limit. A request that waits for a connection
      /// waits within its connect deadline.
      public var maximumConnectionsPerHost = 0
      /// The number of idle connections that are kept.
      public var maximumIdleConnections = Options.defaultMaximumIdleConnections
      /// The longest time that a connection may be idle and still be reused.
      public var idleTimeout = Options.defaultIdleTimeout
      /// The bytes of a body that may wait for the reader before the transfer is paused.
      public var bufferedBytes = Options.defaultBufferedBytes
      /// Whether to negotiate HTTP/2 over TLS for responses that are read as a whole (``HTTPRequest/readsWholeBody``). A streamed
      /// response has an HTTP/1.1 connection of its own: of an HTTP/2 stream that is not read, libcurl keeps up to 32 MiB in
      /// memory.
      public var allowsHTTP2 = true

      /// Creates default options.
      public init() {}

      /// 64: an app uses few hosts, with a few connections each.
      public static let defaultMaximumIdleConnections = 64
      /// 60 s: servers close idle connections after 60 to 75 s, and a request at that moment is lost.
      public static let defaultIdleTimeout = Duration.seconds(60)
      /// 256 KiB: the data of a few round trips on a fast network.
      public static let defaultBufferedBytes = 256 << 10
    }

    /// The source of proxies. Requests to this machine itself (`localhost`, 127.0.0.0/8, `::1`) use none.
    public enum Proxy: Sendable, Hashable {
      /// The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them.
      case environment
      /// No proxy at all.
      case none
      /// The proxy at this address.
      case address(String)
    }

    /// The authorities whose certificates a transport trusts.
    public enum TrustRoots: Sendable, Hashable {
      /// The authorities of the system.
      case system
      /// Only the authorities in this PEM data.
      case only(pem: Data)
    }

    private let loop: CurlEventLoop
    /// The loop for streamed bodies. It is separate, since libcurl shares no HTTP/2 connection with a host any more after it has
    /// one of HTTP/1.1.
    private let streamingLoop: CurlEventLoop

    /// Creates a transport. Each of its threads starts with the first request that needs it.
    ///
    /// - Parameter options: The settings.
    public init(options: Options = Options()) {
      loop = CurlEventLoop(options: options)
      var own = options
      own.allowsHTTP2 = false
      streamingLoop = CurlEventLoop(options: own)
    }

    deinit {
      loop.stop(cancellingTransfers: false)
      streamingLoop.stop(cancellingTransfers: false)
    }

    private func loop(for request: HTTPRequest) -> CurlEventLoop {
      let mayBeHTTP2 = loop.options.allowsHTTP2 && request.url.hasScheme("https")
      return mayBeHTTP2 && !request.readsWholeBody ? streamingLoop : loop
    }

    nonisolated(nonsending) public func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
      if Task.isCancelled { throw HTTPError(.cancelled, delivery: .notSent) }
      let loop = loop(for: request)
      let transfer = try CurlTransfer(request, loop: loop)
      try loop.add(transfer)
      let head = try await transfer.waitForHead()
      return StreamedResponse(head: head, body: ResponseBody(transfer.bodySource))
    }

    public func redirectFailure(along chain: [URL], to next: URL) -> RedirectFailure? {
      let options = loop.options
      guard !options.pins.allowsUnpinnedRedirects, let nextHost = next.host(),
        options.pins.rule(for: nextHost) == nil
      else { return nil }
      let pinned = chain.map { url in
        url.host().flatMap { host in options.pins.rule(for: host).map { (host: host, rule: $0) } }
      }
      // A host whose pins are only reported on must not weaken the redirect of a host whose pins are enforced.
      let strict = pinned.last { $0?.rule.mode == .enforced } ?? nil
      guard let known = strict ?? pinned.last ?? nil else { return nil }
      options.pinObserver?(
        PinEvent(
          .unpinnedRedirect(host: nextHost), host: known.host, expected: known.rule.pins, isRejected: strict != nil))
      return strict == nil ? nil : .unpinned(host: nextHost)
    }

    /// Ends all transfers and the threads, for example before the process exits.
    ///
    /// ```swift
    /// transport.shutDown()
    /// ```
    ///
    /// The transfers fail with the kind ``HTTPError/Kind/notSent(_:)``, ``HTTPError/Kind/maybeSent(_:)`` or
    /// ``HTTPError/Kind/interrupted(_:)``. Later requests fail. Without this call, a thread ends with the transport and its last
    /// transfer.
    public func shutDown() {
      loop.stop(cancellingTransfers: true)
      streamingLoop.stop(cancellingTransfers: true)
    }
  }
#endif
