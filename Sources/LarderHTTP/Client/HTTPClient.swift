public import Foundation

/// A client of a REST API: typed requests, and errors with their meaning and advice.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.org")!)
/// let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
/// let payment: PaymentDTO = try await client.request(
///   .post("/v1/payments", body: .json(draft)).with { $0.idempotencyKey = key })
/// ```
///
/// A request passes, from the caller to the network: the retries (``RetryPolicy``), the interceptors, the authentication
/// (``ClientAuthentication``), the redirects, and the transport. It is retried only where a retry is harmless: if no part of
/// it was sent, if its method is idempotent, or if it has an idempotency key, and then with the same bytes.
///
/// A client is safe to use from any number of tasks. Create one for each API, and keep it.
public struct HTTPClient: Sendable {
  /// The base address of the API.
  public var baseURL: URL { storage.baseURL }
  /// The settings that all requests of the client share.
  public var configuration: Configuration { storage.configuration }
  var transport: any HTTPTransport { storage.transport }
  /// The client's contents in one reference: each request copies the client, and a configuration is large.
  let storage: Storage

  /// The contents of a client.
  final class Storage: Sendable {
    let baseURL: URL
    /// The text of the base address; nil if it is invalid as a base.
    let basePrefix: String?
    let configuration: Configuration
    let transport: any HTTPTransport
    private let budgets: RetryBudgets
    let connectivityHint: ReconnectionSignal?

    init(baseURL: URL, configuration: Configuration, transport: any HTTPTransport) {
      self.baseURL = baseURL
      basePrefix = URLBuilder.prefix(of: baseURL)
      self.configuration = configuration
      self.transport = transport
      connectivityHint = configuration.connectivity.map {
        ReconnectionSignal($0, clock: configuration.dependencies.clock)
      }
      budgets = RetryBudgets(
        configuration.retry, dependencies: configuration.dependencies, baseHost: baseURL.host() ?? "")
    }

    /// Returns the retry budget of a URL's host.
    func budget(for url: URL) -> RetryBudget {
      if let basePrefix, url.absoluteString.sharesHost(withBase: basePrefix) { return budgets.baseBudget }
      return budgets.budget(for: url.host() ?? "")
    }
  }

  #if os(Linux)
    /// Creates a client with libcurl as its transport.
    ///
    /// - Parameters:
    ///   - baseURL: The base address of the API, as in ``init(baseURL:configuration:transport:)``.
    ///   - configuration: The settings that all requests share.
    public init(baseURL: URL, configuration: Configuration = Configuration()) {
      self.init(baseURL: baseURL, configuration: configuration, transport: CurlTransport())
    }
  #endif

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - baseURL: The base address of the API: `http` or `https`, a host, and optionally a path. With any other address each
  ///     request fails with the kind ``HTTPError/Kind/invalidRequest(_:)``.
  ///   - configuration: The settings that all requests share.
  ///   - transport: Sends the requests; several clients may share one.
  public init(baseURL: URL, configuration: Configuration = Configuration(), transport: any HTTPTransport) {
    storage = Storage(baseURL: baseURL, configuration: configuration, transport: transport)
  }
}

extension HTTPClient {
  /// The settings that all requests of a client share.
  public struct Configuration: Sendable {
    /// Header fields of each request, unless it has its own. `Accept: application/json` is added if neither sets `Accept`.
    ///
    /// Name the secrets among them, such as an API key, in ``secretHeaders``.
    public var headers: HTTPHeaders = [:]
    /// The time limits of each request, unless it has its own.
    public var deadlines = Deadlines()
    /// The size limits of each response, unless the request has its own.
    public var limits = Limits()
    /// The retries, and the waits between them.
    public var retry = RetryPolicy()
    /// The interceptors, which see and change each attempt; the first is the outermost.
    public var interceptors: [any HTTPInterceptor] = []
    /// The decoder of responses.
    public var decoder: any BodyDecoder = JSONDecoder()
    /// The encoder of bodies.
    public var encoder: any BodyEncoder = JSONEncoder()
    /// The header field that carries an idempotency key.
    public var idempotencyHeader = IdempotencyHeader()
    /// The names of further header fields that another origin must not receive, in addition to `Authorization`, `Cookie` and the
    /// idempotency key. They are removed from a redirect to another origin, and from these ``headers`` for an endpoint whose own
    /// base is at another origin.
    public var secretHeaders: Set<String> = []
    /// The authentication of requests; nil, the default, for none. See <doc:Authentication>.
    public var authentication: ClientAuthentication?
    /// Whether credentials may be sent over `http` to other machines, where every party on the way can read them. By default such
    /// a request fails with ``InvalidRequest/insecureCredentials``, and is not sent.
    ///
    /// ```swift
    /// configuration.allowsCredentialsOverHTTP = true  // A network of our own.
    /// ```
    public var allowsCredentialsOverHTTP = false
    /// The clock, the date and the random numbers; tests replace them.
    public var dependencies = HTTPDependencies()
    /// A monitor that reports when the network comes back, which ends waits between attempts. A hint: no request waits for it.
    public var connectivity: (any ConnectivityMonitor)?
    /// The logger of events; without one nothing is logged.
    public var logger: HTTPLogger?
    /// Receives the metrics of each exchange, failed ones included.
    public var metrics: (@Sendable (RequestReport) -> Void)?

    /// Creates a configuration of default settings.
    public init() {}
  }
}

extension String {
  /// Whether a URL has the host of a base, by their texts alone: parsing a URL costs as much as creating one.
  fileprivate func sharesHost(withBase base: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { text in
      base.utf8.withContiguousStorageIfAvailable { base in
        guard text.count >= base.count, text.prefix(base.count).elementsEqual(base) else { return false }
        // The next character must not continue the host, or make it a user name.
        return text.count == base.count || base.last == 0x2F || text[base.count] == 0x2F || text[base.count] == 0x3F
      } ?? false
    } ?? false
  }
}
