import Foundation

/// A payment in the bank's books.
struct BookedPayment: Codable, Sendable, Hashable {
  var id: String
  var order: PaymentOrder
  var createdAt: Date
  var cancelledAt: Date?

  /// How it stands at a time.
  func status(at now: Date, settling: TimeInterval) -> String {
    if cancelledAt != nil { return "cancelled" }
    return now.timeIntervalSince(createdAt) >= settling ? "completed" : "pending"
  }
}

/// What somebody asks the bank to pay.
struct PaymentOrder: Codable, Sendable, Hashable {
  var accountId: String
  var recipientName: String
  var recipientAccountNumber: String
  /// A decimal number, as text: a number in JSON would pass through a binary one.
  var amount: String
  var currency: String
  var description: String?
  var idempotencyKey: String
}
