import Foundation
import LarderHTTP
import Testing

private struct PaymentDTO: Codable, Equatable {
  let id: String
  let amount: String
}

private struct CreatePaymentRequest: Encodable {
  let amount: String
  let idempotencyKey: String
}

/// Endpoints as an enumeration, in the shape that app code has them.
private enum PaymentEndpoint: APIEndpoint {
  case getPayments(limit: Int)
  case getPayment(id: String)
  case createPayment(CreatePaymentRequest)
  case cancelPayment(id: String)

  var path: EndpointPath {
    switch self {
    case .getPayments:
      return "/v1/payments"
    case .getPayment(let id):
      return "/v1/payments/\(id)"
    case .createPayment:
      return "/v1/payments"
    case .cancelPayment(let id):
      return "/v1/payments/\(id)/cancel"
    }
  }

  var method: HTTPMethod {
    switch self {
    case .getPayments, .getPayment:
      return .get
    case .createPayment, .cancelPayment:
      return .post
    }
  }

  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    headers["Authorization"] = "Bearer token"
    return headers
  }

  var queryItems: [URLQueryItem]? {
    switch self {
    case .getPayments(let limit):
      return [URLQueryItem(name: "limit", value: "\(limit)")]
    default:
      return nil
    }
  }

  var body: (any Encodable)? {
    switch self {
    case .createPayment(let request):
      return request
    default:
      return nil
    }
  }

  var idempotencyKey: String? {
    if case .createPayment(let request) = self { request.idempotencyKey } else { nil }
  }
}

extension Endpoint where Response == [PaymentDTO] {
  fileprivate static func payments(limit: Int) -> Self {
    .get("/v1/payments", query: [URLQueryItem(name: "limit", value: "\(limit)")])
  }
}

@Suite struct SeedShapeTests {
  private let stub = TransportStub { request in
    request.method == .get && !request.url.path().hasSuffix("/7")
      ? .json(#"[{"id": "7", "amount": "12.00"}]"#) : .json(#"{"id": "7", "amount": "12.00"}"#)
  }
  private var client: HTTPClient { HTTPClient(baseURL: URL(string: "https://api.example.org/bank")!, transport: stub) }
  private let payment = PaymentDTO(id: "7", amount: "12.00")

  @Test func anEnumerationOfEndpoints() async throws {
    let payments: [PaymentDTO] = try await client.request(PaymentEndpoint.getPayments(limit: 20))
    #expect(payments == [payment])
    let one: PaymentDTO = try await client.request(PaymentEndpoint.getPayment(id: "7"))
    #expect(one == payment)
    let request = CreatePaymentRequest(amount: "12.00", idempotencyKey: "key-1")
    let created = try await client.request(PaymentEndpoint.createPayment(request), as: PaymentDTO.self)
    #expect(created == payment)
    try await client.request(PaymentEndpoint.cancelPayment(id: "a/b"))

    let requests = stub.requests
    #expect(
      requests.map(\.url.absoluteString) == [
        "https://api.example.org/bank/v1/payments?limit=20", "https://api.example.org/bank/v1/payments/7",
        "https://api.example.org/bank/v1/payments", "https://api.example.org/bank/v1/payments/a%2Fb/cancel",
      ])
    #expect(requests.map(\.method) == [.get, .get, .post, .post])
    #expect(
      requests.map(\.name) == [
        "GET /v1/payments", "GET /v1/payments/{}", "POST /v1/payments", "POST /v1/payments/{}/cancel",
      ])
    #expect(
      requests.allSatisfy {
        $0.headers["authorization"] == "Bearer token" && $0.headers["Accept"] == "application/json"
      })
    #expect(requests[2].headers["Idempotency-Key"] == "key-1")
    #expect(requests[2].body?.contentType == "application/json")
    #expect(requests[0].body == nil && requests[3].body == nil)
  }

  @Test func endpointsAsValues() async throws {
    #expect(try await client.request(.payments(limit: 5)) == [payment])
    try await client.request(Endpoint<Void>.delete("/v1/payments/\("7")"))
    let made: PaymentDTO = try await client.request(
      Endpoint.post("/v1/payments", body: .json(payment)).with { $0.idempotencyKey = "k" })
    #expect(made == payment)
    #expect(stub.requests[0].url.query() == "limit=5")
  }

  @Test func headersOfAnEndpointComeInThePlaceOfTheClients() async throws {
    var configuration = HTTPClient.Configuration()
    configuration.headers = ["Accept": "application/json", "X-App": "1", "X-Two": "a"]
    let client = HTTPClient(
      baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let request = try client.makeRequest(
      Endpoint<Void>.get("/x").with { $0.headers = ["accept": "text/csv", "x-two": "b"] })
    #expect(request.headers == ["X-App": "1", "accept": "text/csv", "x-two": "b"])
  }
}
