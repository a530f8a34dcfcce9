import Foundation

@testable import payments

/// What the page's tests are made of.
enum PageMade {
  static func payment(_ id: String, status: PaymentStatus = .completed, amount: Decimal = 5) -> Payment {
    Payment(
      id: id, accountId: "acc-1", recipientName: "Ada", recipientAccountNumber: "DE12345678", amount: amount,
      currency: "EUR", status: status, description: nil, reference: "r-\(id)",
      createdAt: Date(timeIntervalSince1970: 1_700_000_000), completedAt: nil)
  }

  static func form(_ change: (inout PaymentForm) -> Void = { _ in }) -> PaymentForm {
    var form = PaymentForm()
    form[.recipient] = "Ada"
    form[.number] = "DE12 3456 78"
    form[.amount] = "12.50"
    change(&form)
    return form
  }
}

/// An outbox that only counts.
actor PageOutbox: PaymentOutbox {
  private(set) var taken: [PaymentDraft] = []
  private(set) var hurries = 0
  var isFull = false

  func fill() { isFull = true }

  func take(_ draft: PaymentDraft) throws -> PaymentTaking {
    if isFull { throw CocoaError(.fileWriteOutOfSpace) }
    if let known = taken.first(where: { $0.name == draft.name }) { return known == draft ? .kept : .nameIsTaken }
    taken.append(draft)
    return .kept
  }

  func hurry(within wait: TimeInterval) { hurries += 1 }

  func putAway(_ name: String) { taken.removeAll { $0.name == name } }
}
