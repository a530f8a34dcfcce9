public import Foundation

/// A client of a REST API: typed requests, and failures that say what they mean.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.org")!)
/// let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
/// let payment: PaymentDTO = try await client.request(
///   .post("/v1/payments", body: .json(draft)).with { $0.idempotencyKey = key })
/// ```
///
/// A request passes, from the caller to the network: the retries (``RetryPolicy``), the interceptors, the authentication
/// (``ClientAuthentication``), the redirects, and the transport. It is tried again only where that does no harm: where
/// nothing of it was sent, where its method is idempotent, or where it has an idempotency key, and then with the same
/// bytes.
///
/// A client is safe to use from any number of tasks; make one for each API, and keep it.
public struct HTTPClient: Sendable {
  /// Where the API is.
  public var baseURL: URL { storage.baseURL }
  public var configuration: Configuration { storage.configuration }
  var transport: any HTTPTransport { storage.transport }
  /// Held together: each request takes a client along, and a configuration is large.
  let storage: Storage

  /// What a client is made of.
  final class Storage: Sendable {
    let baseURL: URL
    /// The text of the base, where it can be one.
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

    /// What retries may add to the load of an address's host.
    func budget(for url: URL) -> RetryBudget {
      if let basePrefix, url.absoluteString.sharesHost(withBase: basePrefix) { return budgets.baseBudget }
      return budgets.budget(for: url.host() ?? "")
    }
  }

  #if os(Linux)
    /// Makes a client that speaks over libcurl.
    public init(baseURL: URL, configuration: Configuration = Configuration()) {
      self.init(baseURL: baseURL, configuration: configuration, transport: CurlTransport())
    }
  #endif

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - baseURL: Where the API is: `http` or `https`, a host, and a path if there is one. Anything else makes each
  ///     request an error of the kind ``HTTPError/Kind/invalidRequest(_:)``.
  ///   - configuration: What all requests have in common.
  ///   - transport: What carries them; several clients may share one.
  public init(baseURL: URL, configuration: Configuration = Configuration(), transport: any HTTPTransport) {
    storage = Storage(baseURL: baseURL, configuration: configuration, transport: transport)
  }
}

extension HTTPClient {
  /// What all requests of a client have in common.
  public struct Configuration: Sendable {
    /// Fields that each request has, unless it has its own. JSON is asked for (`Accept: application/json`) where neither says
    /// otherwise.
    ///
    /// What is a secret among them, as the key of an API, is named in ``secretHeaders``.
    public var headers: HTTPHeaders = [:]
    public var deadlines = Deadlines()
    public var limits = Limits()
    public var retry = RetryPolicy()
    /// See and change each attempt, the first one outermost.
    public var interceptors: [any HTTPInterceptor] = []
    /// Reads responses.
    public var decoder: any BodyDecoder = JSONDecoder()
    /// Writes bodies.
    public var encoder: any BodyEncoder = JSONEncoder()
    /// How an idempotency key is sent.
    public var idempotencyHeader = IdempotencyHeader()
    /// What else another origin must not be given, beside `Authorization`, `Cookie` and the idempotency key: when a
    /// redirect leads there, and of these ``headers`` when an endpoint has a base of its own there.
    public var secretHeaders: Set<String> = []
    /// How the client shows who asks; nil, the default, for not at all. See <doc:Authentication>.
    public var authentication: ClientAuthentication?
    /// Whether credentials go over `http` to other machines than this one, where everybody on the way can read them. By
    /// default such a request fails with ``InvalidRequest/insecureCredentials``, and is not sent.
    ///
    /// ```swift
    /// configuration.allowsCredentialsOverHTTP = true  // A network of our own.
    /// ```
    public var allowsCredentialsOverHTTP = false
    /// Time and chance; tests give their own.
    public var dependencies = HTTPDependencies()
    /// Tells when the network comes back, which ends waits between attempts. A hint: no request waits for it.
    public var connectivity: (any ConnectivityMonitor)?
    /// Where events are told; nothing is told without one.
    public var logger: HTTPLogger?
    /// Is told what each exchange took, failed ones included.
    public var metrics: (@Sendable (RequestReport) -> Void)?

    public init() {}
  }
}

extension String {
  /// Whether an address has the host of a base, by their texts alone: to take an address apart costs as much as to make one.
  fileprivate func sharesHost(withBase base: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { text in
      base.utf8.withContiguousStorageIfAvailable { base in
        guard text.count >= base.count, text.prefix(base.count).elementsEqual(base) else { return false }
        // What follows must not go on with the host, or make a name of it.
        return text.count == base.count || base.last == 0x2F || text[base.count] == 0x2F || text[base.count] == 0x3F
      } ?? false
    } ?? false
  }
}
