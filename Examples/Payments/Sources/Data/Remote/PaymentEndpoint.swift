import Foundation
import LarderHTTP

/// What the bank's API offers.
enum PaymentEndpoint: APIEndpoint {
  case getPayments(limit: Int)
  case getPayment(id: String)
  /// The payments that were made of an order, by its key.
  ///
  /// Whoever is not this party answers nothing of it.
  case findPayments(reference: String, party: String? = nil)
  /// An order's stored bytes, until when the bank may book it, and which party it is for.
  case createPayment(body: Data, deadline: Date, party: String? = nil)
  case cancelPayment(id: String)
  /// Which bank it is, and whose accounts it shows.
  case getCustomer

  /// Stands beside the body, which is the same with each attempt.
  static let deadlineField = "Payment-Deadline"
  /// At which bank, and for which customer, a request is meant to be.
  static let partyField = "Payment-Party"
  /// What the bank's clock shows, in its answers.
  static let timeField = "Payment-Time"

  /// The year 9999 (RFC 3339), in seconds since 1970.
  private static let lastSecond = 253_402_300_799.0

  /// What an answer says of the bank's clock.
  static func clock(_ headers: HTTPHeaders) -> Date? { headers[timeField].flatMap { time($0) } }

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
    case .getCustomer: "/v1/customer"
    }
  }

  var method: HTTPMethod {
    switch self {
    case .getPayments, .getPayment, .findPayments, .getCustomer: .get
    case .createPayment, .cancelPayment: .post
    }
  }

  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    switch self {
    case .createPayment(_, let deadline, let party):
      headers[Self.deadlineField] = "\(deadline.timeIntervalSince1970)"
      headers[Self.partyField] = party
    case .findPayments(_, let party): headers[Self.partyField] = party
    default: break
    }
    return headers
  }

  var queryItems: [URLQueryItem]? {
    switch self {
    case .getPayments(let limit): [URLQueryItem(name: "limit", value: "\(limit)")]
    case .findPayments(let reference, _): [URLQueryItem(name: "reference", value: reference)]
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
    if case .createPayment(let body, _, _) = self { .data(body, type: "application/json") } else { nil }
  }
}
