public import Foundation

/// A request as a value, with the type of its response.
///
/// ```swift
/// extension Endpoint where Response == [PaymentDTO] {
///   static func payments(limit: Int) -> Self {
///     .get("/v1/payments", query: [URLQueryItem(name: "limit", value: "\(limit)")])
///   }
/// }
///
/// let payments = try await client.request(.payments(limit: 20))
/// ```
public struct Endpoint<Response: Sendable>: APIEndpoint {
  public var baseURL: URL?
  public var method: HTTPMethod
  public var path: EndpointPath
  public var headers: HTTPHeaders = [:]
  public var queryItems: [URLQueryItem]?
  public var content: RequestBody?
  public var authentication = EndpointAuthentication.client
  public var isIdempotent: Bool
  public var idempotencyKey: String?
  public var deadlines: Deadlines?
  public var limits: Limits?

  /// Creates an endpoint of any method.
  ///
  /// - Parameters:
  ///   - method: The HTTP method. It also decides ``isIdempotent``.
  ///   - path: The path below the base address.
  ///   - query: The query items, in order.
  ///   - headers: Header fields in addition to the client's own.
  ///   - body: The body, if there is one.
  public init(
    _ method: HTTPMethod, _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(),
    body: RequestBody? = nil
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    queryItems = query
    content = body
    isIdempotent = method.isIdempotent
  }

  /// Returns an endpoint of the method GET.
  public static func get(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.get, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method HEAD.
  public static func head(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.head, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method DELETE.
  public static func delete(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.delete, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method POST.
  public static func post(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.post, path, query: query, headers: headers, body: body)
  }

  /// Returns an endpoint of the method PUT.
  public static func put(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.put, path, query: query, headers: headers, body: body)
  }

  /// Returns an endpoint of the method PATCH.
  public static func patch(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.patch, path, query: query, headers: headers, body: body)
  }
}

// For `client.stream(.get("/v1/export"))`, where no other argument gives the type of the endpoint.
extension APIEndpoint where Self == Endpoint<Void> {
  /// Returns an endpoint of the method GET, for a response that is not decoded.
  public static func get(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.get, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method HEAD, for a response that is not decoded.
  public static func head(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.head, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method DELETE, for a response that is not decoded.
  public static func delete(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.delete, path, query: query, headers: headers)
  }

  /// Returns an endpoint of the method POST, for a response that is not decoded.
  public static func post(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.post, path, query: query, headers: headers, body: body)
  }

  /// Returns an endpoint of the method PUT, for a response that is not decoded.
  public static func put(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.put, path, query: query, headers: headers, body: body)
  }

  /// Returns an endpoint of the method PATCH, for a response that is not decoded.
  public static func patch(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.patch, path, query: query, headers: headers, body: body)
  }
}

extension Endpoint {
  /// Returns a copy of the endpoint with changes.
  ///
  /// ```swift
  /// .post("/v1/payments", body: .json(payment)).with { $0.idempotencyKey = payment.id.uuidString }
  /// ```
  ///
  /// Pass header fields where the endpoint is created: `.get("/v1/export", headers: ["Accept": "text/csv"])`.
  ///
  /// - Parameter change: Changes the copy.
  public func with(_ change: (inout Self) -> Void) -> Self {
    var changed = self
    change(&changed)
    return changed
  }
}
