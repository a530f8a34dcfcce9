import Foundation
import Synchronization
import Testing

@testable import payments_bank

@Suite struct LedgerTests {
  /// A clock that a test sets.
  private final class Clock: Sendable {
    private let state = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { state.withLock { $0 } }
    func advance(_ seconds: Double) { state.withLock { $0 += seconds } }
  }

  private let clock = Clock()

  private func ledger(_ keys: BankRules.Keys = .honours) -> Ledger {
    var rules = BankRules()
    rules.keys = keys
    return Ledger(rules: rules, accounts: ["a": 100], now: { [clock] in clock.now })
  }

  private func order(_ amount: String = "10.50", key: String = "k") -> PaymentOrder {
    PaymentOrder(
      accountId: "a", recipientName: "Ada", recipientAccountNumber: "DE1", amount: amount, currency: "EUR",
      idempotencyKey: key)
  }

  @Test func whatIsPaidIsTakenFromTheAccount() throws {
    let ledger = ledger()
    let paid = try ledger.pay(order(), by: nil)
    #expect(paid.isNew)
    #expect(ledger.balances["a"] == Decimal(string: "89.50"))
    #expect(ledger.payments == [paid.payment])
  }

  @Test func aKeyThatIsHonouredIsOnePayment() throws {
    let ledger = ledger()
    let first = try ledger.pay(order(), by: nil)
    clock.advance(BankRules.keyLifetime - 1)
    let second = try ledger.pay(order(), by: nil)
    #expect(!second.isNew && second.payment == first.payment)
    #expect(throws: LedgerError.keyOfAnother) { try ledger.pay(order("11"), by: nil) }
    clock.advance(2)
    #expect(try ledger.pay(order(), by: nil).isNew)
    #expect(ledger.payments.count == 2)
  }

  @Test func aKeyThatIsForgottenIsAnotherPayment() throws {
    let ledger = ledger(.forgets)
    _ = try ledger.pay(order(), by: nil)
    #expect(try !ledger.pay(order(), by: nil).isNew)
    clock.advance(ledger.rules.forgetsAfter)
    #expect(try ledger.pay(order(), by: nil).isNew)
  }

  @Test func aBankWithoutKeysPaysEachTime() throws {
    let ledger = ledger(.none)
    for _ in 0..<3 { #expect(try ledger.pay(order(), by: nil).isNew) }
    #expect(ledger.payments.count == 3)
  }

  @Test func nothingIsBookedAfterItsDeadline() throws {
    let ledger = ledger()
    let deadline = clock.now
    #expect(try ledger.pay(order(), by: deadline).isNew)
    clock.advance(0.001)
    #expect(throws: LedgerError.tooLate) { try ledger.pay(order(key: "other"), by: deadline) }
    #expect(ledger.payments.count == 1)
  }

  @Test(arguments: [
    ("0", LedgerError.invalidAmount), ("-1", .invalidAmount), ("1.234", .invalidAmount), ("1,5", .invalidAmount),
    ("12abc", .invalidAmount), ("", .invalidAmount), ("1e3", .invalidAmount), ("٣", .invalidAmount),
    ("100.01", .insufficientFunds),
  ])
  func ordersThatAreRefused(_ amount: String, _ refusal: LedgerError) {
    let ledger = ledger()
    #expect(throws: refusal) { try ledger.pay(order(amount), by: nil) }
    #expect(ledger.payments.isEmpty && ledger.balances["a"] == 100)
  }

  @Test func accountsCurrenciesAndRecipients() {
    let ledger = ledger()
    func refusal(_ change: (inout PaymentOrder) -> Void) -> LedgerError? {
      var changed = order()
      change(&changed)
      do throws(LedgerError) {
        _ = try ledger.pay(changed, by: nil)
        return nil
      } catch { return error }
    }
    #expect(refusal { $0.accountId = "b" } == .unknownAccount)
    #expect(refusal { $0.currency = "USD" } == .wrongCurrency)
    #expect(refusal { $0.recipientName = "" } == .noRecipient)
    #expect(refusal { $0.recipientAccountNumber = "" } == .noRecipient)
  }

  @Test func whatIsPendingCanBeCancelled() throws {
    let ledger = ledger()
    let payment = try ledger.pay(order(), by: nil).payment
    #expect(ledger.status(of: payment) == "pending")
    let cancelled = try #require(try ledger.cancel(payment.id))
    #expect(ledger.status(of: cancelled) == "cancelled" && ledger.balances["a"] == 100)
    #expect(try ledger.cancel(payment.id) == cancelled)
    #expect(ledger.balances["a"] == 100)

    let later = try ledger.pay(order(key: "later"), by: nil).payment
    clock.advance(ledger.rules.settling)
    #expect(ledger.status(of: later) == "completed")
    #expect(throws: LedgerError.notCancellable) { try ledger.cancel(later.id) }
    #expect(try ledger.cancel("none") == nil)
  }
}
