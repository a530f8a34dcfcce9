import Foundation
import Synchronization

/// The bank's books: accounts, and the payments that were made of them. Safe to use from any thread.
final class Ledger: Sendable {
  private struct State {
    var balances: [String: Decimal]
    var payments: [BookedPayment] = []
    /// The payments of the keys that are remembered, and since when.
    var known: [String: (place: Int, at: Date)] = [:]
  }

  static let currency = "EUR"

  let rules: BankRules
  private let state: Mutex<State>
  private let keep: @Sendable ([BookedPayment]) -> Void
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - rules: How the bank behaves.
  ///   - accounts: What is on each account before any payment.
  ///   - payments: What was booked before, the oldest first.
  ///   - keep: Takes all payments whenever there is another, or one is another.
  ///   - now: The bank's clock.
  init(
    rules: BankRules, accounts: [String: Decimal], payments: [BookedPayment] = [],
    keep: @escaping @Sendable ([BookedPayment]) -> Void = { _ in }, now: @escaping @Sendable () -> Date = { .now }
  ) {
    self.rules = rules
    self.keep = keep
    self.now = now
    var state = State(balances: accounts, payments: payments)
    for (place, payment) in payments.enumerated() {
      state.known[payment.order.idempotencyKey] = (place, payment.createdAt)
      if payment.cancelledAt == nil { state.balances[payment.order.accountId, default: 0] -= Self.amount(payment) }
    }
    self.state = Mutex(state)
  }

  /// Carries out an order, or says what was done when the same came before.
  ///
  /// - Parameter deadline: After it nothing is booked. Whoever gave an order that was not answered can then ask whether it
  ///   was carried out, and rely on a no.
  func pay(_ order: PaymentOrder, by deadline: Date?) throws(LedgerError) -> (payment: BookedPayment, isNew: Bool) {
    let amount = try Self.check(order)
    // The clock is read with the books locked: nothing that was waiting for them is booked late.
    let result = state.withLock { state -> Result<(payment: BookedPayment, isNew: Bool), LedgerError> in
      let now = now()
      if let deadline, now > deadline { return .failure(.tooLate) }
      if let lifetime = rules.keyLifetime, let known = state.known[order.idempotencyKey],
        now.timeIntervalSince(known.at) < lifetime
      {
        let payment = state.payments[known.place]
        return payment.order == order ? .success((payment, false)) : .failure(.keyOfAnother)
      }
      guard let balance = state.balances[order.accountId] else { return .failure(.unknownAccount) }
      guard balance >= amount else { return .failure(.insufficientFunds) }
      let payment = BookedPayment(id: "p-\(state.payments.count + 1)", order: order, createdAt: now)
      state.balances[order.accountId] = balance - amount
      state.known[order.idempotencyKey] = (state.payments.count, now)
      state.payments.append(payment)
      keep(state.payments)
      return .success((payment, true))
    }
    return try result.get()
  }

  /// Takes a payment back, while it is not carried out.
  ///
  /// - Returns: nil where there is no such payment.
  func cancel(_ id: String) throws(LedgerError) -> BookedPayment? {
    let result = state.withLock { state -> Result<BookedPayment?, LedgerError> in
      guard let place = state.payments.firstIndex(where: { $0.id == id }) else { return .success(nil) }
      let payment = state.payments[place]
      switch payment.status(at: now(), settling: rules.settling) {
      case "cancelled": return .success(payment)
      case "completed": return .failure(.notCancellable)
      default:
        state.payments[place].cancelledAt = now()
        state.balances[payment.order.accountId, default: 0] += Self.amount(payment)
        keep(state.payments)
        return .success(state.payments[place])
      }
    }
    return try result.get()
  }

  /// All payments, the oldest first.
  var payments: [BookedPayment] { state.withLock { $0.payments } }

  /// What is on each account.
  var balances: [String: Decimal] { state.withLock { $0.balances } }

  /// How a payment stands.
  func status(of payment: BookedPayment) -> String { payment.status(at: now(), settling: rules.settling) }

  private static func amount(_ payment: BookedPayment) -> Decimal { (try? check(payment.order)) ?? 0 }

  /// What an order can be refused for by itself. Returns its amount.
  private static func check(_ order: PaymentOrder) throws(LedgerError) -> Decimal {
    if order.recipientName.isEmpty || order.recipientAccountNumber.isEmpty { throw .noRecipient }
    if order.currency != currency { throw .wrongCurrency }
    // Decimal's own reading stops at the first character that is no digit.
    guard order.amount.wholeMatch(of: /[0-9]{1,15}(\.[0-9]{1,2})?/) != nil, let amount = Decimal(string: order.amount),
      amount > 0
    else { throw .invalidAmount }
    return amount
  }
}
