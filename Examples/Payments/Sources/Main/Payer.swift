import ExampleSupport
import Foundation
import LarderHTTP

/// Pays what a file asks for, and ends when each of it is paid or refused. Killed and started again it goes on.
struct Payer {
  let container: DIContainer
  let drafts: [PaymentDraft]

  init(_ settings: Settings, drafts: URL, environment: [String: String]) throws {
    var patience = PaymentSender.Patience()
    patience.order = settings.order
    patience.clocks = min(patience.clocks, settings.order / 10)
    patience.again = min(patience.again, settings.order / 20)
    container = try DIContainer(
      bank: BankEnvironment(environment), store: settings.store, patience: patience,
      logger: HTTPLogger(level: .debug, handler: StandardErrorLog()))
    self.drafts = try JSONDecoder().decode([PaymentDraft].self, from: Data(contentsOf: drafts))
  }

  func run() async throws {
    try await container.desk.begin()
    for draft in drafts { _ = try await container.desk.accept(draft) }
    // Whoever wants to know that it is at work.
    Terminal.put("paying")
    try await PaymentQueue(sender: container.sender).empty()
    Terminal.put(String(decoding: try JSONEncoder().encode(try await container.desk.count()), as: UTF8.self))
  }
}
