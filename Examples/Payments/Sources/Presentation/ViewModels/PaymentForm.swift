import ExampleSupport
import Foundation

/// What stands in the fields of the form, whether or not it makes sense yet.
struct PaymentForm: Hashable, Sendable {
  enum Field: String, Hashable, Sendable, CaseIterable {
    case account, recipient, number, amount, description
  }

  /// An account of which is paid.
  struct Account: Hashable, Sendable {
    var id: String
    var title: String
  }

  /// The bank's, as its customer knows them.
  static let accounts = [
    Account(id: "acc-1", title: "Main account"), Account(id: "acc-2", title: "Pocket money, 10 EUR at first"),
  ]
  static let currency = "EUR"
  static let longest: [Field: Int] = [.recipient: 70, .number: 42, .amount: 20, .description: 140]

  /// Made when the form is drawn, so that it is one payment however often it is sent.
  var name = UUID().uuidString
  var values: [Field: String] = [.account: accounts[0].id]

  subscript(field: Field) -> String {
    get { values[field] ?? "" }
    set { values[field] = newValue }
  }
}

extension PaymentForm {
  /// Reads what a browser sent; nil if it is no form of ours.
  init?(_ fields: FormFields) {
    guard let name = fields["name"].flatMap(UUID.init(uuidString:))?.uuidString else { return nil }
    var values: [Field: String] = [:]
    for field in Field.allCases {
      guard let value = fields[field.rawValue] else { return nil }
      values[field] = value
    }
    self.init(name: name, values: values)
  }
}
