import Foundation

extension HTTPClient {
  /// Asks an endpoint, and decodes its answer.
  ///
  /// ```swift
  /// let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
  /// ```
  ///
  /// An answer without a body is nil where that is a value of the type.
  ///
  /// - Throws: ``HTTPError``. An answer that is a page, or damaged, and no JSON is of the kind
  ///   ``HTTPError/Kind/notJSON(mediaType:)``.
  public func request<Value: Decodable & SendableMetatype>(
    _ endpoint: some APIEndpoint, as type: Value.Type = Value.self
  ) async throws(HTTPError) -> Value {
    try await read(endpoint) { (response) throws(HTTPError) in try decode(type, from: response) }
  }

  /// Asks an endpoint that knows what it answers.
  public func request<Value: Decodable & SendableMetatype>(_ endpoint: Endpoint<Value>) async throws(HTTPError) -> Value
  {
    try await read(endpoint) { (response) throws(HTTPError) in try decode(Value.self, from: response) }
  }

  /// Asks an endpoint whose answer says nothing but that it succeeded.
  @_disfavoredOverload
  public func request(_ endpoint: some APIEndpoint) async throws(HTTPError) {
    let isPageWanted = acceptsHTML(endpoint)
    try await read(endpoint) { (response) throws(HTTPError) in try rejectHTML(response, unless: isPageWanted) }
  }

  /// Asks an endpoint whose answer says nothing but that it succeeded.
  public func request(_ endpoint: Endpoint<Void>) async throws(HTTPError) {
    let plain: any APIEndpoint = endpoint
    try await request(plain)
  }

  /// The whole response of an endpoint, not decoded.
  ///
  /// - Throws: ``HTTPError``; also where the status is no success, or a page comes where `Accept` asks for JSON.
  public func response(to endpoint: some APIEndpoint) async throws(HTTPError) -> HTTPResponse {
    try await read(endpoint) { (response) throws(HTTPError) in response }
  }

  /// The whole response to a request, not decoded. Its status is a success.
  ///
  /// The request has what all of a client's have in common, unless it has its own: fields of the header, and deadlines and
  /// limits where they are those that every request begins with.
  ///
  /// ```swift
  /// let next = try await client.response(to: HTTPRequest(.get, page))
  /// ```
  ///
  /// - Throws: ``HTTPError``; also where the status is no success.
  public func response(to request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let call = try Call(of: self, named: request.name) { () throws(HTTPError) in configured(request) }
    return try await call.response { (response) throws(HTTPError) in response }
  }

  private func read<Value>(
    _ endpoint: some APIEndpoint, _ read: @Sendable (HTTPResponse) throws(HTTPError) -> Value
  ) async throws(HTTPError) -> Value {
    try await makeCall(endpoint).response(read)
  }

  /// The response to an endpoint, its body as it comes.
  ///
  /// Unless the endpoint says otherwise, it may take as long as something moves, and be of any size. Attempts are made
  /// until the head of a success is there; what fails later is the reader's. The exchange is told to the logger and to the
  /// metrics when its body has ended.
  ///
  /// ```swift
  /// for try await piece in try await client.stream(.get("/v1/export")).body { try parser.feed(piece) }
  /// ```
  ///
  /// - Throws: ``HTTPError``; also where the status is no success.
  public func stream(_ endpoint: some APIEndpoint) async throws(HTTPError) -> StreamedResponse {
    try await makeStreamingCall(endpoint).stream()
  }

  /// A call that begins now.
  func makeCall(_ endpoint: some APIEndpoint) throws(HTTPError) -> Call {
    try Call(of: self, named: endpoint.name) { () throws(HTTPError) in try makeRequest(endpoint) }
  }

  /// A call that begins now, for a body that nobody holds in memory: it may last, and be of any size, unless the endpoint
  /// says otherwise.
  func makeStreamingCall(_ endpoint: some APIEndpoint) throws(HTTPError) -> Call {
    var call = try makeCall(endpoint)
    if endpoint.deadlines == nil { call.request.deadlines.total = nil }
    if endpoint.limits == nil { (call.request.limits.body, call.request.limits.decompressedBody) = (.max, .max) }
    return call
  }

  // MARK: - From endpoints to requests

  /// The request that an endpoint makes.
  ///
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/invalidRequest(_:)``; nothing was sent.
  public func makeRequest(_ endpoint: some APIEndpoint) throws(HTTPError) -> HTTPRequest {
    do throws(HTTPError) {
      let prefix = endpoint.baseURL.map(URLBuilder.prefix) ?? storage.basePrefix
      let url = try URLBuilder.url(prefix: prefix, path: endpoint.path, query: endpoint.queryItems)
      var request = HTTPRequest(endpoint.method, url, name: endpoint.name)
      request.headers = mergedHeaders(
        with: endpoint.headers, isCrossOrigin: endpoint.baseURL?.hasSameOrigin(as: baseURL) == false)
      request.authentication = endpoint.authentication
      request.isIdempotent = endpoint.isIdempotent
      request.idempotencyKey = endpoint.idempotencyKey
      request.deadlines = endpoint.deadlines ?? configuration.deadlines
      request.limits = endpoint.limits ?? configuration.limits
      if let content = endpoint.content {
        request.body = content
      } else if let body = endpoint.body {
        request.body = .data(try encode(body), type: "application/json")
      }
      return request
    } catch {
      var named = error
      named.request = endpoint.name
      throw named
    }
  }

  /// A request that somebody made by himself, with what all of this client's have in common.
  private func configured(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers = mergedHeaders(with: request.headers, isCrossOrigin: !request.url.hasSameOrigin(as: baseURL))
    if request.deadlines == Deadlines() { request.deadlines = configuration.deadlines }
    if request.limits == Limits() { request.limits = configuration.limits }
    return request
  }

  /// The client's fields and a request's own.
  ///
  /// - Parameter isElsewhere: Whether it is for another origin. The client's own secrets are for the client's own base; what
  ///   the request itself has goes where it says.
  private func mergedHeaders(with own: HTTPHeaders, isCrossOrigin isElsewhere: Bool) -> HTTPHeaders {
    var headers = configuration.headers
    if isElsewhere { configuration.removeSecrets(from: &headers) }
    headers.merge(own)
    if headers["Accept"] == nil { headers["Accept"] = "application/json" }
    return headers
  }

  func encode(_ value: any Encodable) throws(HTTPError) -> Data {
    do {
      return try configuration.encoder.encode(value)
    } catch {
      throw HTTPError(.invalidRequest(.body), delivery: .notSent, underlying: error)
    }
  }
}
