import Foundation

/// A payment, as the rest of the program knows it.
struct Payment: Sendable, Hashable, Identifiable {
  let id: String
  let accountId: String
  let recipientName: String
  let recipientAccountNumber: String
  let amount: Decimal
  let currency: String
  let status: PaymentStatus
  let description: String?
  let reference: String
  let createdAt: Date
  let completedAt: Date?
}

enum PaymentStatus: String, Sendable, Hashable, CaseIterable {
  case pending, completed, failed, cancelled
}
