import Foundation
import LarderTesting

/// Answers the bank's requests.
struct BankAPI: Sendable {
  typealias Request = ScriptedServer.RecordedRequest
  typealias Answer = FaultServer.Response

  /// The field that says until when an order is good, in seconds since 1970. It stands beside the body, which is the same
  /// with each attempt.
  static let deadlineField = "payment-deadline"
  /// The field of each answer that says what the bank's own clock shows, in seconds since 1970. Of what a list does not
  /// have then, nothing comes whose deadline is before it.
  static let timeField = "Payment-Time"
  /// How many payments a list has at most.
  private static let longestList = 1_000
  /// The field by which a client says at which bank, and for which customer, it means to be.
  static let partyField = "payment-party"

  let ledger: Ledger
  let tokens: Tokens
  let party: Party
  let limit: RateLimit
  let now: @Sendable () -> Date

  func answer(_ request: Request) -> Answer {
    // Before the books are looked at: whatever is booked later comes after it.
    let time = now().timeIntervalSince1970
    var answer = answerItself(request)
    answer.headers[Self.timeField] = "\(time)"
    return answer
  }

  private func answerItself(_ request: Request) -> Answer {
    guard limit.admits() else {
      return Self.problem("too-many-requests", "There are too many requests.", 429, ["Retry-After": "1"])
    }
    let address = URLComponents(string: request.target)
    let path = (address?.path ?? "").split(separator: "/").map(String.init)
    do {
      if request.method == "POST", path == ["v1", "tokens"] { return try signIn(request) }
      guard tokens.isGood(request.headers["authorization"]) else {
        return Self.problem("unauthorized", "Sign in first.", 401, ["WWW-Authenticate": "Bearer"])
      }
      if let meant = request.headers[Self.partyField], meant != party.name { throw LedgerError.otherParty }
      switch (request.method, path.count) {
      case ("GET", 2) where path == ["v1", "customer"]: return .json(try BankJSON.text(party))
      case ("GET", 2) where path == ["v1", "payments"]: return try list(address?.queryItems ?? [])
      case ("POST", 2) where path == ["v1", "payments"]: return try pay(request)
      case ("GET", 3) where path.starts(with: ["v1", "payments"]):
        return try one(ledger.payments.first { $0.id == path[2] })
      case ("POST", 4) where path.starts(with: ["v1", "payments"]) && path[3] == "cancel":
        return try one(try ledger.cancel(path[2]))
      default: return Self.problem("not-found", "There is nothing at this address.", 404)
      }
    } catch let refusal as LedgerError {
      return Self.problem(refusal.rawValue, refusal.title, refusal.status)
    } catch {
      return .status(500)
    }
  }

  private func signIn(_ request: Request) throws -> Answer {
    struct Body: Decodable { var refreshToken: String }
    guard let body = BankJSON.value(Body.self, from: request.body) else {
      return Self.problem("malformed", "The request cannot be read.", 400)
    }
    guard let pair = tokens.refresh(body.refreshToken) else {
      // RFC 6749, section 5.2.
      return .json(#"{"error":"invalid_grant"}"#, status: 400)
    }
    return .json(try BankJSON.text(pair))
  }

  private func pay(_ request: Request) throws -> Answer {
    guard let order = BankJSON.value(PaymentOrder.self, from: request.body) else {
      return Self.problem("malformed", "The order cannot be read.", 400)
    }
    let deadline = request.headers[Self.deadlineField].flatMap(Double.init).map(Date.init(timeIntervalSince1970:))
    let (payment, isNew) = try ledger.pay(order, by: deadline)
    return .json(try BankJSON.text(json(payment)), status: isNew ? 201 : 200)
  }

  private func list(_ query: [URLQueryItem]) throws -> Answer {
    let reference = query.first { $0.name == "reference" }?.value
    let limit = query.first { $0.name == "limit" }?.value.flatMap(Int.init) ?? 100
    let found = ledger.payments.reversed().filter { reference == nil || $0.order.idempotencyKey == reference }
    return .json(try BankJSON.text(found.prefix(max(0, min(limit, Self.longestList))).map(json)))
  }

  private func one(_ payment: BookedPayment?) throws -> Answer {
    guard let payment else { return Self.problem("not-found", "There is no such payment.", 404) }
    return .json(try BankJSON.text(json(payment)))
  }

  private func json(_ payment: BookedPayment) -> PaymentJSON {
    PaymentJSON(payment, status: ledger.status(of: payment), settling: ledger.rules.settling)
  }

  /// Problem details (RFC 9457).
  private static func problem(
    _ type: String, _ title: String, _ status: Int, _ headers: [String: String] = [:]
  ) -> Answer {
    .text(
      #"{"type":"urn:bank:\#(type)","title":"\#(title)","status":\#(status)}"#, type: "application/problem+json",
      status: status, headers: headers)
  }
}
