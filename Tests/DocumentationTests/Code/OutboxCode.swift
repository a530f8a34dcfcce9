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
  /// By how much the clocks of both sides may differ.
  static let clocks: TimeInterval = 5

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
    let outcome = await outcome(of: Self.endpoint(key, payment.body, goodUntil), by: client)
    // Meanwhile the server may have been asked, and another attempt be under way.
    guard payment.goodUntil == goodUntil else { return }
    switch outcome {
    case .made: payment.isMade = true
    case .refused(let reason): payment.refusal = reason
    case .notSent: payment.goodUntil = nil
    case .unknown: break
    }
    try modelContext.save()
  }

  private static func endpoint(_ key: String, _ body: Data, _ goodUntil: Date) -> Endpoint<Payment> {
    .post("/v1/payments", body: .data(body, type: "application/json")).with {
      $0.idempotencyKey = key
      $0.headers["Payment-Deadline"] = "\(goodUntil.timeIntervalSince1970)"
    }
  }

  private enum Outcome {
    case made, notSent, unknown
    case refused(String)
  }

  private func outcome(of endpoint: Endpoint<Payment>, by client: HTTPClient) async -> Outcome {
    do throws(HTTPError) {
      _ = try await client.request(endpoint)
      return .made
    } catch {
      switch error.status {
      case _ where error.delivery == .notSent: return .notSent
      case 401, 429: return .notSent
      // Verdicts. Others may be of a proxy, or of a server that has acted before it failed.
      case 400, 402, 422: return .refused(error.problem?.title ?? error.advice)
      default: return .unknown
      }
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
    guard let payment = try find(key), !payment.isMade, let goodUntil = payment.goodUntil,
      goodUntil + Self.clocks < .now
    else {
      return
    }
    let query = [URLQueryItem(name: "reference", value: key)]
    let found = try await client.request(Endpoint<[Payment]>.get("/v1/payments", query: query))
    if found.isEmpty { payment.goodUntil = nil } else { payment.isMade = true }
    try modelContext.save()
  }
}
// snippet end
