public import Foundation

/// What an API offers, written as an enumeration of its requests:
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
/// Only the path must be given. ``Endpoint`` is the same as a value, which knows the type of its response.
public protocol APIEndpoint: Sendable {
  /// Where the API is; nil, the default, for the client's own base. Another origin is not given the client's secrets
  /// (``HTTPClient/Configuration/secretHeaders``), only what ``headers`` of this endpoint has.
  var baseURL: URL? { get }
  /// The path below the base.
  var path: EndpointPath { get }
  /// By default GET.
  var method: HTTPMethod { get }
  /// Fields beside those that the client sends with each request, in whose place they come.
  var headers: HTTPHeaders { get }
  /// The query: items in their order, encoded when they are sent. Names may be repeated.
  var queryItems: [URLQueryItem]? { get }
  /// A value that is sent as JSON.
  var body: (any Encodable)? { get }
  /// A body of any other kind; in the place of `body`.
  var content: RequestBody? { get }
  /// Which credentials it is asked with; by default the client's own.
  var authentication: EndpointAuthentication { get }
  /// Whether the request may be sent again though it may have arrived. By default what the method says.
  var isIdempotent: Bool { get }
  /// The key under which the server knows a request that it has seen: one for each deed, kept for all attempts at it.
  var idempotencyKey: String? { get }
  /// How long its phases may take; nil, the default, for the client's own.
  var deadlines: Deadlines? { get }
  /// How much its response may be; nil, the default, for the client's own.
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

  /// Method and path without values.
  public var name: String { method.rawValue + " " + path.template }
}
