import Foundation

/// A payment as the API has it.
struct PaymentDTO: Codable, Sendable {
  let id: String
  let accountId: String
  let recipientName: String
  let recipientAccountNumber: String
  let amount: String  // A decimal number: JSON's own pass through binary ones.
  let currency: String
  let status: String
  let description: String?
  let reference: String
  let createdAt: String  // ISO 8601
  let completedAt: String?

  func toDomain() throws(MappingError) -> Payment {
    guard amount.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil, let amount = Decimal(string: amount) else {
      throw .invalidAmount
    }
    guard let status = PaymentStatus(rawValue: status) else { throw .invalidStatus }
    return Payment(
      id: id, accountId: accountId, recipientName: recipientName, recipientAccountNumber: recipientAccountNumber,
      amount: amount, currency: currency, status: status, description: description, reference: reference,
      createdAt: try Self.date(createdAt), completedAt: try completedAt.map(Self.date))
  }

  private static func date(_ text: String) throws(MappingError) -> Date {
    guard let date = try? Date(text, strategy: .iso8601) else { throw .invalidDate }
    return date
  }
}

enum MappingError: Error, Sendable {
  case invalidAmount
  case invalidDate
  case invalidStatus
}
