import Foundation

/// What is wrong with a form, beside the field that it is about.
struct FormMistakes: Error, Hashable, Sendable {
  var words: [PaymentForm.Field: String]
}

extension PaymentForm {
  /// What the fields say.
  ///
  /// - Throws: All that is wrong with it.
  func draft() throws(FormMistakes) -> PaymentDraft {
    var mistakes: [Field: String] = [:]
    if !Self.accounts.contains(where: { $0.id == self[.account] }) {
      mistakes[.account] = "Choose one of the accounts."
    }
    let recipient = trimmed(.recipient)
    if recipient.isEmpty { mistakes[.recipient] = "The recipient's name is missing." }
    let number = self[.number].filter { !$0.isWhitespace }.uppercased()
    if number.isEmpty {
      mistakes[.number] = "The account number is missing."
    } else if number.wholeMatch(of: /[0-9A-Z]{5,34}/) == nil {
      mistakes[.number] = "An account number has 5 to 34 letters and digits, and nothing else but spaces."
    }
    let amount = amount(&mistakes)
    for field in Field.allCases {
      if let longest = Self.longest[field], self[field].count > longest {
        mistakes[field] = "That is too long: there is room for \(longest) characters."
      }
    }
    guard mistakes.isEmpty else { throw FormMistakes(words: mistakes) }
    let description = trimmed(.description)
    return PaymentDraft(
      name: name, accountId: self[.account], recipientName: recipient, recipientAccountNumber: number, amount: amount,
      currency: Self.currency, description: description.isEmpty ? nil : description)
  }

  /// A decimal number, with a point or a comma. What could be read in two ways is asked for again, and never guessed.
  private func amount(_ mistakes: inout [Field: String]) -> Decimal {
    let text = trimmed(.amount).replacing(",", with: ".")
    guard !text.isEmpty else {
      mistakes[.amount] = "The amount is missing."
      return 0
    }
    guard text.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,2})?/) != nil, let amount = Decimal(string: text) else {
      mistakes[.amount] = "Write the amount as 12.50, with at most two digits after the point."
      return 0
    }
    if amount == 0 { mistakes[.amount] = "The amount must be more than nothing." }
    return amount
  }

  /// Without what nobody sees, and what could make a line look like two.
  private func trimmed(_ field: Field) -> String {
    self[field].map { $0.isNewline ? " " : String($0) }.joined().trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
