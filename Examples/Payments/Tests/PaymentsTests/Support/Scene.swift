import ExampleSupport
import Foundation
import SwiftData

@testable import payments

/// A store of a test's own, a network that it scripts, and what pays between them.
struct Scene {
  let folder: TemporaryFolder
  let bank: MockBank
  let network: MockNetwork
  let container: DIContainer

  /// - Parameter folder: Where the store is; a new place if not given.
  init(in folder: TemporaryFolder? = nil, bank: MockBank = MockBank()) throws {
    self.folder = try folder ?? TemporaryFolder()
    self.bank = bank
    network = MockNetwork { try bank.answer($0) }
    // Nothing is waited for: an order is good for no time, and the clocks agree.
    container = try DIContainer(
      network: network, store: self.folder.url.appending(path: "payments.store"),
      patience: PaymentSender.Patience(order: 0, clocks: 0, again: 0))
  }

  var desk: PaymentDesk { container.desk }
  var sender: PaymentSender { container.sender }
  var repository: any PaymentRepository { container.paymentRepository }

  static func draft(_ name: String = "first", amount: Decimal = 12.5) -> PaymentDraft {
    PaymentDraft(
      name: name, accountId: "acc-1", recipientName: "Ada", recipientAccountNumber: "DE77", amount: amount,
      currency: "EUR")
  }

  /// The bodies that were sent to be paid.
  var sent: [Data] { network.asked.compactMap(\.body) }
}
