public import Foundation

/// The requests of an API, written as an enumeration:
///
/// ```swift
/// enum PaymentEndpoint: APIEndpoint {
///   case getPayments(limit: Int)
///   case getPayment(id: String)
///   case createPayment(CreatePaymentRequest)
///
///   var path: EndpointPath {
///     switch self {
///     case .getPayments, .createPayment: "/v1/payments"
///     case .getPayment(let id): "/v1/payments/\(id)"
///     }
///   }
///
///   var method: HTTPMethod {
///     switch self {
///     case .getPayments, .getPayment: .get
///     case .createPayment: .post
///     }
///   }
///
///   var queryItems: [URLQueryItem]? {
///     if case .getPayments(let limit) = self { [URLQueryItem(name: "limit", value: "\(limit)")] } else { nil }
///   }
///
///   var body: (any Encodable)? {
///     if case .createPayment(let request) = self { request } else { nil }
///   }
/// }
///
/// let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
/// ```
///
/// Only the path is required. ``Endpoint`` is the same as a value, and has the type of its response.
public protocol APIEndpoint: Sendable {
  /// The base address of the API; nil, the default, for the client's own. Another origin does not receive the client's secrets
  /// (``HTTPClient/Configuration/secretHeaders``), only the ``headers`` of this endpoint.
  var baseURL: URL? { get }
  /// The path below the base address.
  var path: EndpointPath { get }
  /// The method; GET by default.
  var method: HTTPMethod { get }
  /// Header fields in addition to the client's own; a field here replaces the client's field of the same name.
  var headers: HTTPHeaders { get }
  /// The query items, in order, encoded when they are sent. Names may be repeated.
  var queryItems: [URLQueryItem]? { get }
  /// A value that is sent as JSON.
  var body: (any Encodable)? { get }
  /// A body of any other kind; used in place of `body`.
  var content: RequestBody? { get }
  /// The authentication of the request; the client's own by default.
  var authentication: EndpointAuthentication { get }
  /// Whether the request may be sent again although it may have arrived. By default the method decides.
  var isIdempotent: Bool { get }
  /// The idempotency key, by which the server recognizes a repeated request: one key for each action, kept for all attempts.
  var idempotencyKey: String? { get }
  /// The deadlines of the request's phases; nil, the default, for the client's own.
  var deadlines: Deadlines? { get }
  /// The limits on the response's size; nil, the default, for the client's own.
  var limits: Limits? { get }
}

extension APIEndpoint {
  public var baseURL: URL? { nil }
  public var method: HTTPMethod { .get }
  public var headers: HTTPHeaders { [:] }
  public var queryItems: [URLQueryItem]? { nil }
  public var body: (any Encodable)? { nil }
  public var content: RequestBody? { nil }
  public var authentication: EndpointAuthentication { .client }
  public var isIdempotent: Bool { method.isIdempotent }
  public var idempotencyKey: String? { nil }
  public var deadlines: Deadlines? { nil }
  public var limits: Limits? { nil }

  /// The method and the path, without values.
  public var name: String { method.rawValue + " " + path.template }
}
