import Foundation
import Testing

@testable import payments_bank

/// A bank that is started again.
@Suite struct BooksTests {
  private func order(_ amount: String, _ key: String) -> PaymentOrder {
    PaymentOrder(
      accountId: "a", recipientName: "Ada", recipientAccountNumber: "DE1", amount: amount, currency: "EUR",
      idempotencyKey: key)
  }

  @Test func whatWasBookedIsBookedStill() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "books-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let books = Books(file: folder.appending(path: "bank.json"))
    #expect(try books.read().isEmpty)

    let keep: @Sendable ([BookedPayment]) -> Void = { payments in
      #expect(throws: Never.self) { try books.write(payments) }
    }
    let first = Ledger(rules: BankRules(), accounts: ["a": 100], keep: keep)
    let paid = try first.pay(order("10", "k-1"), by: nil).payment
    _ = try first.cancel(try first.pay(order("20", "k-2"), by: nil).payment.id)

    let second = Ledger(rules: BankRules(), accounts: ["a": 100], payments: try books.read(), keep: keep)
    #expect(second.payments == first.payments && second.balances == ["a": 90])
    // The key is known still, and the next payment has a name of its own.
    let again = try second.pay(order("10", "k-1"), by: nil)
    #expect(!again.isNew && again.payment == paid)
    #expect(try second.pay(order("10", "k-3"), by: nil).payment.id == "p-3")
  }
}
