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

extension PaymentDraft {
  /// The amount may be text, as it is written, or a number, which is read digit for digit and never as a binary one.
  ///
  /// - Throws: Also for a member that no payment has: mistyped, what it was to say would be left out.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: AnyMember.self).allKeys
    if let unknown = members.first(where: { CodingKeys(stringValue: $0.stringValue) == nil }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath + [unknown], debugDescription: "No payment has this member.",
          underlyingError: UnknownMember()))
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    accountId = try container.decode(String.self, forKey: .accountId)
    recipientName = try container.decode(String.self, forKey: .recipientName)
    recipientAccountNumber = try container.decode(String.self, forKey: .recipientAccountNumber)
    amount = try Self.amount(in: container)
    currency = try container.decode(String.self, forKey: .currency)
    description = try container.decodeIfPresent(String.self, forKey: .description)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(accountId, forKey: .accountId)
    try container.encode(recipientName, forKey: .recipientName)
    try container.encode(recipientAccountNumber, forKey: .recipientAccountNumber)
    try container.encode(amount.description, forKey: .amount)
    try container.encode(currency, forKey: .currency)
    try container.encodeIfPresent(description, forKey: .description)
  }

  private enum CodingKeys: String, CodingKey {
    case name, accountId, recipientName, recipientAccountNumber, amount, currency, description
  }

  /// A member of any name.
  private struct AnyMember: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static func amount(in container: KeyedDecodingContainer<CodingKeys>) throws -> Decimal {
    let amount: Decimal?
    if let text = try? container.decode(String.self, forKey: .amount) {
      // Decimal's own reading stops at the first character that is no digit.
      let isNumber = text.wholeMatch(of: /-?[0-9]{1,15}(\.[0-9]{1,15})?/) != nil
      amount = isNumber ? Decimal(string: text) : nil
    } else {
      let number = try container.decode(Decimal.self, forKey: .amount)
      // What has more digits than a decimal may have lost some.
      amount = number.magnitude < 1_000_000_000_000_000 && number.exponent >= -15 ? number : nil
    }
    guard let amount else {
      throw DecodingError.dataCorruptedError(
        forKey: .amount, in: container, debugDescription: "An amount is a decimal number, such as \"12.50\".")
    }
    return amount
  }
}

/// A draft has a member that no payment has.
struct UnknownMember: Error {}
