import Foundation
import SwiftData

/// A payment in the store: what the bank last said of it.
@Model
final class PaymentEntity {
  @Attribute(.unique) var id: String
  var accountId: String
  var recipientName: String
  var recipientAccountNumber: String
  var amount: Decimal
  var currency: String
  var status: String
  var paymentDescription: String?
  var reference: String
  var createdAt: Date
  var completedAt: Date?
  var syncedAt: Date?  // When the bank last said so.

  init(from payment: Payment, at now: Date = .now) {
    id = payment.id
    accountId = payment.accountId
    recipientName = payment.recipientName
    recipientAccountNumber = payment.recipientAccountNumber
    amount = payment.amount
    currency = payment.currency
    status = payment.status.rawValue
    paymentDescription = payment.description
    reference = payment.reference
    createdAt = payment.createdAt
    completedAt = payment.completedAt
    syncedAt = now
  }

  func update(from payment: Payment, at now: Date = .now) {
    accountId = payment.accountId
    recipientName = payment.recipientName
    recipientAccountNumber = payment.recipientAccountNumber
    amount = payment.amount
    currency = payment.currency
    status = payment.status.rawValue
    paymentDescription = payment.description
    reference = payment.reference
    createdAt = payment.createdAt
    completedAt = payment.completedAt
    syncedAt = now
  }

  func toDomain() -> Payment {
    Payment(
      id: id, accountId: accountId, recipientName: recipientName, recipientAccountNumber: recipientAccountNumber,
      amount: amount, currency: currency, status: PaymentStatus(rawValue: status) ?? .pending,
      description: paymentDescription, reference: reference, createdAt: createdAt, completedAt: completedAt)
  }
}
