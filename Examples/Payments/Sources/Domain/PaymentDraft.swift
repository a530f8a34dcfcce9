import Foundation

/// What somebody wants to pay.
struct PaymentDraft: Codable, Sendable, Hashable {
  /// What whoever asks calls it: asked for a second time, it is the same payment.
  var name: String
  var accountId: String
  var recipientName: String
  var recipientAccountNumber: String
  var amount: Decimal
  var currency: String
  var description: String?
}
