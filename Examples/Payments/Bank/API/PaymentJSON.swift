import Foundation

/// A payment as the bank's API has it. The order's key is its reference, by which it can be found.
struct PaymentJSON: Codable, Sendable, Hashable {
  var id: String
  var accountId: String
  var recipientName: String
  var recipientAccountNumber: String
  var amount: String
  var currency: String
  var status: String
  var description: String?
  var reference: String
  var createdAt: String
  var completedAt: String?

  init(_ payment: BookedPayment, status: String, settling: TimeInterval) {
    id = payment.id
    accountId = payment.order.accountId
    recipientName = payment.order.recipientName
    recipientAccountNumber = payment.order.recipientAccountNumber
    amount = payment.order.amount
    currency = payment.order.currency
    self.status = status
    description = payment.order.description
    reference = payment.order.idempotencyKey
    createdAt = payment.createdAt.formatted(.iso8601)
    let ended = status == "completed" ? payment.createdAt.addingTimeInterval(settling) : payment.cancelledAt
    completedAt = ended?.formatted(.iso8601)
  }
}

/// The bank's JSON: names with underscores.
enum BankJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func value<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(type, from: data)
  }
}
