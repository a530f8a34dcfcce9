import Foundation

/// What the API is asked to pay.
struct CreatePaymentRequest: Codable, Sendable, Hashable {
  let accountId: String
  let recipientName: String
  let recipientAccountNumber: String
  let amount: String
  let currency: String
  let description: String?
  let idempotencyKey: String  // Made once, and stored with the bytes: see OutgoingPayment.

  init(from draft: PaymentDraft, idempotencyKey: String) {
    accountId = draft.accountId
    recipientName = draft.recipientName
    recipientAccountNumber = draft.recipientAccountNumber
    amount = draft.amount.description
    currency = draft.currency
    description = draft.description
    self.idempotencyKey = idempotencyKey
  }
}
