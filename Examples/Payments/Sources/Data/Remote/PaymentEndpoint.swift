import Foundation
import LarderHTTP

/// What the bank's API offers.
enum PaymentEndpoint: APIEndpoint {
  case getPayments(limit: Int)
  case getPayment(id: String)
  /// The payments that were made of an order, by its key.
  case findPayments(reference: String)
  /// An order's stored bytes, and until when the bank may book it.
  case createPayment(body: Data, deadline: Date)
  case cancelPayment(id: String)

  /// Stands beside the body, which is the same with each attempt.
  static let deadlineField = "Payment-Deadline"
  /// What the bank's clock shows, in its answers.
  static let timeField = "Payment-Time"

  /// The year 9999 (RFC 3339), in seconds since 1970.
  private static let lastSecond = 253_402_300_799.0

  /// What the field says of the bank's clock; nil where that is nothing that a clock would show.
  static func time(_ text: String) -> Date? {
    // What is no number is in no range.
    guard let seconds = Double(text), (0...lastSecond).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  var path: EndpointPath {
    switch self {
    case .getPayments, .findPayments, .createPayment: "/v1/payments"
    case .getPayment(let id): "/v1/payments/\(id)"
    case .cancelPayment(let id): "/v1/payments/\(id)/cancel"
    }
  }

  var method: HTTPMethod {
    switch self {
    case .getPayments, .getPayment, .findPayments: .get
    case .createPayment, .cancelPayment: .post
    }
  }

  var headers: HTTPHeaders {
    if case .createPayment(_, let deadline) = self {
      [Self.deadlineField: "\(deadline.timeIntervalSince1970)"]
    } else {
      [:]
    }
  }

  var queryItems: [URLQueryItem]? {
    switch self {
    case .getPayments(let limit): [URLQueryItem(name: "limit", value: "\(limit)")]
    case .findPayments(let reference): [URLQueryItem(name: "reference", value: reference)]
    default: nil
    }
  }

  /// An order is not followed elsewhere: what is answered there would say nothing of it.
  var limits: Limits? {
    guard case .createPayment = self else { return nil }
    var limits = Limits()
    limits.redirects = 0
    return limits
  }

  var content: RequestBody? {
    if case .createPayment(let body, _) = self { .data(body, type: "application/json") } else { nil }
  }
}
