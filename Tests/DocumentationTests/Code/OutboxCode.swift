import Foundation
import Larder

/// What the article on idempotent writes shows.
// snippet: outgoing payment
/// What a server tells of a payment that it has.
struct BookedPayment: Decodable, Sendable {
  /// The key of the request that made it.
  var reference: String
}

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

  /// Makes an attempt. What comes of it is stored, also a refusal.
  ///
  /// - Throws: Why it is not made yet: `HTTPError.Kind.needsSignIn` pauses a queue; a ``HTTPError/rootCause`` of
  ///   `pinMismatch` ends it.
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
    switch outcome {
    case .made, .refused: break
    case .notSent(let error), .unknown(let error): throw error
    }
  }

  private static func endpoint(_ key: String, _ body: Data, _ goodUntil: Date) -> Endpoint<BookedPayment> {
    .post("/v1/payments", body: .data(body, type: "application/json")).with {
      $0.idempotencyKey = key
      $0.headers["Payment-Deadline"] = "\(goodUntil.timeIntervalSince1970)"
    }
  }

  private enum Outcome {
    case made
    case refused(String)
    case notSent(HTTPError)
    case unknown(HTTPError)
  }

  private func outcome(of endpoint: Endpoint<BookedPayment>, by client: HTTPClient) async -> Outcome {
    do throws(HTTPError) {
      _ = try await client.request(endpoint)
      return .made
    } catch {
      switch error.status {
      case _ where error.delivery == .notSent: return .notSent(error)
      case 401, 429: return .notSent(error)
      // Verdicts. Others may be of a proxy, or of a server that has acted before it failed.
      case 400, 402, 422: return .refused(error.problem?.title ?? error.advice)
      default: return .unknown(error)
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
    let answer = try await client.request(Endpoint<[BookedPayment]>.get("/v1/payments", query: query))
    // Looked for, since a server that does not know the query answers with all that there are.
    if answer.contains(where: { $0.reference == key }) {
      payment.isMade = true
    } else if payment.goodUntil == goodUntil {
      // Else somebody has asked meanwhile, and another attempt is under way, of which this "none" knows nothing.
      payment.goodUntil = nil
    }
    try modelContext.save()
  }
}
// snippet end

// snippet: go on outbox
extension Outbox {
  /// At the start of the program, whenever the network or the user is back, and when it says: asks for what is unknown, then
  /// sends.
  ///
  /// - Returns: When what is still unknown can be asked for; nil where nothing is.
  /// - Throws: The last of what went wrong, once each has had its turn.
  func goOn(by client: HTTPClient) async throws -> Date? {
    let open = FetchDescriptor<OutgoingPayment>(predicate: #Predicate { !$0.isMade && $0.refusal == nil })
    var trouble: (any Error)?
    for key in try modelContext.fetch(open).map(\.key) {
      do {
        try await ask(key, by: client)
        try await send(key, by: client)
      } catch {
        trouble = error
      }
    }
    if let trouble { throw trouble }
    return try modelContext.fetch(open).compactMap(\.goodUntil).min()?.addingTimeInterval(Self.clocks)
  }
}
// snippet end
