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
    // Looked at as it was typed: letters of other scripts become others, or several, where they are made large.
    let number = self[.number].filter { !$0.isWhitespace }
    if number.isEmpty {
      mistakes[.number] = "The account number is missing."
    } else if !(5...34).contains(number.utf8.count) || !number.utf8.allSatisfy(Self.isDigitOrLetter) {
      mistakes[.number] = "An account number has 5 to 34 letters and digits, and nothing else but spaces."
    }
    let amount = amount(&mistakes)
    for field in Field.allCases {
      // A character may be made of any number of others.
      if let longest = Self.longest[field], self[field].count > longest || self[field].utf8.count > 4 * longest {
        mistakes[field] = "That is too long: there is room for \(longest) characters."
      } else if self[field].unicodeScalars.contains(where: Self.isHiddenOrder) {
        mistakes[field] = "There are characters in it that nobody sees; type it anew."
      }
    }
    guard mistakes.isEmpty else { throw FormMistakes(words: mistakes) }
    let description = trimmed(.description)
    return PaymentDraft(
      name: name, accountId: self[.account], recipientName: recipient, recipientAccountNumber: number.uppercased(),
      amount: amount,
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

  private static func isDigitOrLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Whether it is a command to whoever shows the text: a control, or what turns the direction of others round.
  private static func isHiddenOrder(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: scalar.properties.generalCategory == .control
    }
  }

  /// Without what nobody sees, and what could make a line look like two.
  private func trimmed(_ field: Field) -> String {
    self[field].map { $0.isNewline ? " " : String($0) }.joined().trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
