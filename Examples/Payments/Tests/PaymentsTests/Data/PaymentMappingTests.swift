import Foundation
import Testing

@testable import payments

@Suite struct PaymentMappingTests {
  private func dto(
    amount: String = "10.10", status: String = "pending", createdAt: String = "2026-11-25T12:00:00Z",
    completedAt: String? = nil
  ) -> PaymentDTO {
    PaymentDTO(
      id: "p", accountId: "a", recipientName: "Ada", recipientAccountNumber: "DE1", amount: amount, currency: "EUR",
      status: status, description: "d", reference: "r", createdAt: createdAt, completedAt: completedAt)
  }

  @Test func aPaymentIsRead() throws {
    let payment = try dto(status: "completed", completedAt: "2026-11-25T13:00:05+01:00").toDomain()
    #expect(payment.amount == Decimal(string: "10.10"))
    #expect(payment.status == .completed)
    #expect(payment.completedAt?.timeIntervalSince(payment.createdAt) == 5)
  }

  /// Decimal's own reading takes "12abc" for twelve.
  @Test(arguments: ["", "12abc", "1,5", "1e3", "NaN", " 1", "0x10", "1.", ".5", "--1"])
  func amountsThatAreNone(_ amount: String) {
    #expect(throws: MappingError.invalidAmount) { try dto(amount: amount).toDomain() }
  }

  @Test func datesAndStatesThatAreNone() {
    #expect(throws: MappingError.invalidDate) { try dto(createdAt: "yesterday").toDomain() }
    #expect(throws: MappingError.invalidDate) { try dto(completedAt: "").toDomain() }
    #expect(throws: MappingError.invalidStatus) { try dto(status: "lost").toDomain() }
  }

  @Test func theSameOrderIsTheSameBytes() throws {
    let request = CreatePaymentRequest(from: Scene.draft(), idempotencyKey: "k")
    let bytes = try JSONEncoder.standardEncoder.encode(request)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"account_id":"acc-1","amount":"12.5","currency":"EUR","idempotency_key":"k","#
        + #""recipient_account_number":"DE77","recipient_name":"Ada"}"#)
  }
}
