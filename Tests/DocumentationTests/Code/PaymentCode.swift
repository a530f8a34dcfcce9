import Foundation
import Larder

/// What the articles of LarderHTTP and LarderTesting ask for.
// snippet: payments
struct Payment: Codable, Sendable, Equatable {
  var id: String
  var amount: String
}

struct NewPayment: Codable, Sendable {
  var amount: String
}
// snippet end

// snippet: endpoints
enum PaymentEndpoint: APIEndpoint {
  case list(limit: Int)
  case payment(id: String)
  case create(NewPayment)

  var path: EndpointPath {
    switch self {
    case .list, .create: "/v1/payments"
    case .payment(let id): "/v1/payments/\(id)"
    }
  }

  var method: HTTPMethod {
    if case .create = self { .post } else { .get }
  }

  var queryItems: [URLQueryItem]? {
    if case .list(let limit) = self { [URLQueryItem(name: "limit", value: "\(limit)")] } else { nil }
  }

  var body: (any Encodable)? {
    if case .create(let payment) = self { payment } else { nil }
  }
}
// snippet end

// snippet: endpoint values
extension Endpoint where Response == [Payment] {
  static func payments(limit: Int) -> Self {
    .get("/v1/payments", query: [URLQueryItem(name: "limit", value: "\(limit)")])
  }
}
// snippet end

// snippet: request failures
func pay(_ payment: NewPayment, by client: HTTPClient) async -> String {
  do throws(HTTPError) {
    let made: Payment = try await client.request(PaymentEndpoint.create(payment))
    return "Paid: \(made.id)"
  } catch {
    switch (error.kind, error.delivery) {
    case (.unacceptableStatus(422), _): return error.problem?.detail ?? error.advice
    case (.unauthorized, _), (.needsSignIn, _): return "Sign in again."
    case (_, .notSent): return "Nothing was paid. " + error.advice
    case (_, .maybeSent): return "It may have been paid. Look at the list before you pay again."
    case (_, .responded): return error.advice
    }
  }
}
// snippet end

// snippet: pages
func everyPayment(of client: HTTPClient) async throws -> [Payment] {
  var all: [Payment] = []
  var page: URL? = client.baseURL.appending(path: "v1/payments")
  // A server may name the same page for ever.
  for _ in 0..<1_000 {
    guard let url = page else { break }
    let response = try await client.response(to: HTTPRequest(.get, url))
    all += try JSONDecoder().decode([Payment].self, from: response.body)
    page = response.head.links["next"]?.target
  }
  return all
}
// snippet end

// snippet: drafts
struct PaymentDraft: Codable, Sendable {
  var amount: String
  /// Made with the draft and stored with it, so that each attempt has the same, also after the program was ended.
  var key = UUID().uuidString

  var endpoint: Endpoint<Payment> {
    .post("/v1/payments", body: .json(NewPayment(amount: amount))).with { $0.idempotencyKey = key }
  }
}
// snippet end
