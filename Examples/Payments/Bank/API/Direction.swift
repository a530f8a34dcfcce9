import Foundation
import LarderTesting

/// What whoever runs the bank may ask of it, beside its customers: to fail, to end
/// sessions, and to open its books.
struct Direction: Sendable {
  static let path = "/direction/"
  static let keyField = "direction-key"

  /// Whoever has it may direct.
  let key: String
  let ledger: Ledger
  let behaviour: Behaviour
  let tokens: Tokens

  /// nil for a request that is a customer's.
  func answer(_ request: BankAPI.Request) -> BankAPI.Answer? {
    guard request.target.hasPrefix(Self.path) else { return nil }
    guard request.headers[Self.keyField] == key else { return .status(403) }
    switch (request.method, request.target.dropFirst(Self.path.count)) {
    case ("GET", "ledger"): return books()
    case ("POST", "behaviour"):
      guard let orders = try? JSONDecoder().decode(Behaviour.Orders.self, from: request.body),
        behaviour.obey(orders)
      else { return .status(422) }
      return .status(204)
    case ("POST", "session"):
      guard let next = (try? JSONDecoder().decode([String: String].self, from: request.body))?["token"], !next.isEmpty
      else { return .status(422) }
      tokens.end(next: next)
      return .status(204)
    default: return .status(404)
    }
  }

  private func books() -> BankAPI.Answer {
    let payments = ledger.payments.map { payment in
      PaymentJSON(payment, status: ledger.status(of: payment), settling: ledger.rules.settling)
    }
    guard let text = try? BankJSON.text(payments) else { return .status(500) }
    return .json(text)
  }
}
