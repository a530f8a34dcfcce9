import Foundation
import Larder

/// What the article on idempotent writes shows.
// snippet: outgoing payment
@Model
final class OutgoingPayment {
  @Attribute(.unique) var key: String
  /// The bytes that each attempt sends.
  var body: Data
  /// Until when the server may act upon what was sent; nil while nothing of it can be there.
  var goodUntil: Date?
  var isMade = false
  var refusal: String?

  init(_ payment: NewPayment) throws {
    key = UUID().uuidString
    body = try JSONEncoder().encode(payment)
  }
}
// snippet end

// snippet: outbox
@ModelActor
actor Outbox {
  /// Before anything is sent: from here on it is not lost.
  func accept(_ payment: NewPayment) throws -> String {
    let outgoing = try OutgoingPayment(payment)
    modelContext.insert(outgoing)
    try modelContext.save()
    return outgoing.key
  }

  func send(_ key: String, by client: HTTPClient) async throws {
    guard let payment = try find(key), !payment.isMade, payment.refusal == nil, payment.goodUntil == nil else { return }
    let goodUntil = Date.now.addingTimeInterval(30)
    payment.goodUntil = goodUntil
    // Before the first byte: whoever is killed now does not know either whether it arrived.
    try modelContext.save()
    do throws(HTTPError) {
      _ = try await client.request(Self.endpoint(key, payment.body, goodUntil))
      payment.isMade = true
    } catch {
      switch (error.kind, error.delivery) {
      case (_, .notSent), (.limited, _), (.unauthorised, _): payment.goodUntil = nil
      case (.refused(400..<500), _): payment.refusal = error.problem?.title ?? error.advice
      default: break
      }
    }
    try modelContext.save()
  }

  private static func endpoint(_ key: String, _ body: Data, _ goodUntil: Date) -> Endpoint<Payment> {
    .post("/v1/payments", body: .data(body, type: "application/json")).with {
      $0.idempotencyKey = key
      $0.headers["Payment-Deadline"] = "\(goodUntil.timeIntervalSince1970)"
    }
  }

  func find(_ key: String) throws -> OutgoingPayment? {
    try modelContext.fetch(FetchDescriptor<OutgoingPayment>(predicate: #Predicate { $0.key == key })).first
  }
}
// snippet end

// snippet: ask outbox
extension Outbox {
  func ask(_ key: String, by client: HTTPClient) async throws {
    guard let payment = try find(key), !payment.isMade, let goodUntil = payment.goodUntil, goodUntil < .now else {
      return
    }
    let query = [URLQueryItem(name: "reference", value: key)]
    let found = try await client.request(Endpoint<[Payment]>.get("/v1/payments", query: query))
    if found.isEmpty { payment.goodUntil = nil } else { payment.isMade = true }
    try modelContext.save()
  }
}
// snippet end
