#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  public import Foundation

  /// The transport over libcurl: HTTP/1.1 and 2, connections used again, IPv6, proxies from the environment; and bodies
  /// that come by gzip, deflate, brotli or zstd.
  ///
  /// The transfers of one transport share a thread of their own, which sleeps while nothing moves, and a set of
  /// connections; those over TLS whose bodies are read as they come have another thread and set. Certificates are always
  /// verified.
  ///
  /// ```swift
  /// let transport = CurlTransport()
  /// let client = HTTPClient(baseURL: api, transport: transport)
  /// ```
  ///
  /// What a body is compressed with is taken off as it is read, up to ``Limits/decompressedBody``, and one that breaks off is an
  /// error (``ConnectionFailure/compression``). A request with an `Accept-Encoding` of its own gets the body as it comes.
  ///
  /// It needs libcurl 7.80 or later. What a body's reader has not taken is not read from the network, but for
  /// ``Options/bufferedBytes``.
  public final class CurlTransport: HTTPTransport {
    /// What a transport is to do.
    public struct Options: Sendable {
      /// Where proxies come from.
      public var proxy = Proxy.environment
      /// Authorities in whose certificates it believes.
      public var trustRoots = TrustRoots.system
      /// The keys that hosts are pinned to.
      public var pins = KeyPins()
      /// Is told of connections and redirects that the pins speak against, refused or not. It may be called on the
      /// transport's thread: be brief.
      public var pinObserver: (@Sendable (PinEvent) -> Void)?
      /// The most connections to one host at a time; 0 for as many as there are transfers. What waits for one waits in
      /// its deadline for connecting.
      public var maximumConnectionsPerHost = 0
      /// How many idle connections are kept.
      public var maximumIdleConnections = Options.defaultMaximumIdleConnections
      /// How long a connection may be idle and still be used again.
      public var idleTimeout = Options.defaultIdleTimeout
      /// How much of a body waits for its reader, in bytes, before the transfer is paused.
      public var bufferedBytes = Options.defaultBufferedBytes
      /// Whether HTTP/2 is asked for over TLS, where the whole of a body is read at once
      /// (``HTTPRequest/readsWholeBody``). A body that is read as it comes has a connection of HTTP/1.1 for itself: of a
      /// stream of HTTP/2 that nobody reads, libcurl keeps up to 32 MiB in memory.
      public var allowsHTTP2 = true

      public init() {}

      /// 64: an app speaks to a few hosts, a few connections each.
      public static let defaultMaximumIdleConnections = 64
      /// 60 s: servers close idle connections after 60 to 75, and a request that meets the end is lost.
      public static let defaultIdleTimeout = Duration.seconds(60)
      /// 256 KiB: a few round trips' worth on a fast network.
      public static let defaultBufferedBytes = 256 << 10
    }

    /// Where proxies come from. What is for this machine itself (`localhost`, 127.0.0.0/8, `::1`) goes by none.
    public enum Proxy: Sendable, Hashable {
      /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them.
      case environment
      /// No proxy at all.
      case none
      /// This one.
      case address(String)
    }

    /// Authorities in whose certificates a transport believes.
    public enum TrustRoots: Sendable, Hashable {
      /// Those of the system.
      case system
      /// These alone, in PEM.
      case only(pem: Data)
    }

    private let loop: CurlEventLoop
    /// For bodies that are read as they come. Apart, since libcurl shares no connection of HTTP/2 with a host any more of
    /// which it knows one of HTTP/1.1.
    private let streamingLoop: CurlEventLoop

    /// Makes a transport. Its threads begin with the first request that they are for.
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
      // A host whose pins are only reported on is no bridge for what comes from one whose pins hold.
      let strict = pinned.last { $0?.rule.mode == .enforced } ?? nil
      guard let known = strict ?? pinned.last ?? nil else { return nil }
      options.pinObserver?(
        PinEvent(
          .unpinnedRedirect(host: nextHost), host: known.host, expected: known.rule.pins, isRejected: strict != nil))
      return strict == nil ? nil : .unpinned(host: nextHost)
    }

    /// Ends all transfers, with an error of the kind ``HTTPError/Kind/notSent(_:)``, ``HTTPError/Kind/maybeSent(_:)`` or
    /// ``HTTPError/Kind/interrupted(_:)``, and the threads. Requests that are made later fail. Without it, a thread ends with the transport and its last
    /// transfer.
    public func shutDown() {
      loop.stop(cancellingTransfers: true)
      streamingLoop.stop(cancellingTransfers: true)
    }
  }
#endif
