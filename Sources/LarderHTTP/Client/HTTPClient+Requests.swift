import Foundation

extension HTTPClient {
  /// Requests an endpoint, and decodes the response.
  ///
  /// ```swift
  /// let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
  /// ```
  ///
  /// A response without a body is nil if the type is optional.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request.
  ///   - type: The type to decode.
  /// - Throws: ``HTTPError``. Its kind is ``HTTPError/Kind/notJSON(mediaType:)`` if the response is a page, or damaged JSON.
  public func request<Value: Decodable & SendableMetatype>(
    _ endpoint: some APIEndpoint, as type: Value.Type = Value.self
  ) async throws(HTTPError) -> Value {
    try await read(endpoint) { (response) throws(HTTPError) in try decode(type, from: response) }
  }

  /// Requests an endpoint, and decodes the response as the endpoint's type.
  ///
  /// ```swift
  /// let payments = try await client.request(.payments(limit: 20))
  /// ```
  ///
  /// - Throws: ``HTTPError``, as ``request(_:as:)`` does.
  public func request<Value: Decodable & SendableMetatype>(_ endpoint: Endpoint<Value>) async throws(HTTPError) -> Value
  {
    try await read(endpoint) { (response) throws(HTTPError) in try decode(Value.self, from: response) }
  }

  /// Requests an endpoint whose response is only checked for success.
  ///
  /// - Throws: ``HTTPError``; also if the response is a page that the request does not accept.
  @_disfavoredOverload
  public func request(_ endpoint: some APIEndpoint) async throws(HTTPError) {
    let isPageWanted = acceptsHTML(endpoint)
    try await read(endpoint) { (response) throws(HTTPError) in try rejectHTML(response, unless: isPageWanted) }
  }

  /// Requests an endpoint whose response is only checked for success.
  ///
  /// ```swift
  /// try await client.request(.delete("/v1/payments/\(id)"))
  /// ```
  ///
  /// - Throws: ``HTTPError``; also if the response is a page that the request does not accept.
  public func request(_ endpoint: Endpoint<Void>) async throws(HTTPError) {
    let plain: any APIEndpoint = endpoint
    try await request(plain)
  }

  /// Returns the whole response of an endpoint, not decoded.
  ///
  /// ```swift
  /// let response = try await client.response(to: .get("/v1/logo"))
  /// ```
  ///
  /// - Throws: ``HTTPError``; also if the status is no success, or if a page arrives where `Accept` asks for JSON.
  public func response(to endpoint: some APIEndpoint) async throws(HTTPError) -> HTTPResponse {
    try await read(endpoint) { (response) throws(HTTPError) in response }
  }

  /// Returns the whole response to a request, not decoded. Its status is a success.
  ///
  /// The request gets the client's common settings where it has none of its own: header fields, and also deadlines and limits
  /// if those of the request are the defaults.
  ///
  /// ```swift
  /// let next = try await client.response(to: HTTPRequest(.get, page))
  /// ```
  ///
  /// - Throws: ``HTTPError``; also if the status is no success.
  public func response(to request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let call = try Call(of: self, named: request.name) { () throws(HTTPError) in configured(request) }
    return try await call.response { (response) throws(HTTPError) in response }
  }

  private func read<Value>(
    _ endpoint: some APIEndpoint, _ read: @Sendable (HTTPResponse) throws(HTTPError) -> Value
  ) async throws(HTTPError) -> Value {
    try await makeCall(endpoint).response(read)
  }

  /// Returns the response of an endpoint as a stream, its body as it arrives.
  ///
  /// Unless the endpoint sets deadlines and limits, the body may take any time as long as data arrives, and be of any size.
  /// Attempts are made until the head of a successful response arrives; later failures are thrown to the reader of the body.
  /// The exchange is reported to the logger and to the metrics when its body has ended.
  ///
  /// ```swift
  /// for try await piece in try await client.stream(.get("/v1/export")).body { try parser.feed(piece) }
  /// ```
  ///
  /// - Throws: ``HTTPError``; also if the status is no success.
  public func stream(_ endpoint: some APIEndpoint) async throws(HTTPError) -> StreamedResponse {
    try await makeStreamingCall(endpoint).stream()
  }

  /// Returns a call that begins now.
  func makeCall(_ endpoint: some APIEndpoint) throws(HTTPError) -> Call {
    try Call(of: self, named: endpoint.name) { () throws(HTTPError) in try makeRequest(endpoint) }
  }

  /// Returns a call that begins now, for a body that is not kept in memory: it may last, and be of any size, unless the endpoint
  /// sets deadlines and limits.
  func makeStreamingCall(_ endpoint: some APIEndpoint) throws(HTTPError) -> Call {
    var call = try makeCall(endpoint)
    if endpoint.deadlines == nil { call.request.deadlines.total = nil }
    if endpoint.limits == nil { (call.request.limits.body, call.request.limits.decompressedBody) = (.max, .max) }
    return call
  }

  // MARK: - Requests of endpoints

  /// Returns the request of an endpoint, with the client's common settings.
  ///
  /// ```swift
  /// let request = try client.makeRequest(PaymentEndpoint.getPayments(limit: 20))
  /// ```
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

  /// Returns a caller's own request with the client's common settings.
  private func configured(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers = mergedHeaders(with: request.headers, isCrossOrigin: !request.url.hasSameOrigin(as: baseURL))
    if request.deadlines == Deadlines() { request.deadlines = configuration.deadlines }
    if request.limits == Limits() { request.limits = configuration.limits }
    return request
  }

  /// Returns the client's fields merged with a request's own, which take precedence.
  ///
  /// - Parameter isElsewhere: Whether the request is for another origin. The client's own secrets go to the client's own base
  ///   alone; the request's own fields go to its destination.
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
