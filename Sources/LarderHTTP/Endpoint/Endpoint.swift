public import Foundation

/// A request as a value that knows the type of its response.
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

  public static func get(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.get, path, query: query, headers: headers)
  }

  public static func head(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.head, path, query: query, headers: headers)
  }

  public static func delete(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.delete, path, query: query, headers: headers)
  }

  public static func post(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.post, path, query: query, headers: headers, body: body)
  }

  public static func put(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.put, path, query: query, headers: headers, body: body)
  }

  public static func patch(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.patch, path, query: query, headers: headers, body: body)
  }
}

// For `client.stream(.get("/v1/export"))`, where nothing else says of which type the endpoint is.
extension APIEndpoint where Self == Endpoint<Void> {
  public static func get(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.get, path, query: query, headers: headers)
  }

  public static func head(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.head, path, query: query, headers: headers)
  }

  public static func delete(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> Self {
    Endpoint(.delete, path, query: query, headers: headers)
  }

  public static func post(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.post, path, query: query, headers: headers, body: body)
  }

  public static func put(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.put, path, query: query, headers: headers, body: body)
  }

  public static func patch(
    _ path: EndpointPath, query: [URLQueryItem]? = nil, headers: HTTPHeaders = HTTPHeaders(), body: RequestBody? = nil
  ) -> Self {
    Endpoint(.patch, path, query: query, headers: headers, body: body)
  }
}

extension Endpoint {
  /// The same endpoint with something about it changed.
  ///
  /// ```swift
  /// .post("/v1/payments", body: .json(payment)).with { $0.idempotencyKey = payment.id.uuidString }
  /// ```
  ///
  /// Fields of the header are said where the endpoint is made: `.get("/v1/export", headers: ["Accept": "text/csv"])`.
  public func with(_ change: (inout Self) -> Void) -> Self {
    var changed = self
    change(&changed)
    return changed
  }
}
