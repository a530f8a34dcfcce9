import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import SwiftData

/// `make payments`: the bank as a process of its own, the page, and what brings payments there, until somebody stops it.
struct Demo {
  /// How long a payment waits before it is sent again that the bank has surely not booked, in seconds. It is sent at once
  /// when the line is mended.
  static let again = 3.0

  let settings: Options

  @MainActor func run() async throws {
    let store = settings.store ?? StorePlaces.usual(of: "payments")
    let folder = try TemporaryFolder()
    // The certificate that lies in it is read again later.
    defer { withExtendedLifetime(folder) {} }
    let token = UUID().uuidString
    try ProgramLock.take(beside: store)
    // The bank's books outlive it, as a bank's do: a payment is still there when the program is started again.
    let books = store.deletingPathExtension().appendingPathExtension("bank.json")
    let bank = try BankProcess(keys: "honours", folder: folder.url, token: token, books: books)
    let line = try Line(to: bank.port)
    defer { line.cut() }
    let container = try container(bank, line, store)
    // This bank knows another one with each start, so nothing is kept of it beyond the program's end.
    try await container.session?.signIn(Secret(token))
    try await container.desk.begin()
    let screen = try PaymentScreen(
      container: container, connectivity: line.connectivity, controls: BankControls(bank: bank, line: line))
    let page = try PageServer(port: settings.port, screen: screen)

    Terminal.say("Store:  \(store.path), \(screen.list.payments.count) payments")
    Terminal.say("Bank:   \(line.url), process \(bank.processIdentifier)")
    Terminal.say("Page:   \(page.url)")
    Terminal.say("Stop:   Ctrl-C")
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await screen.run() }
      await StopSignals.wait()
      Terminal.say("Stopping")
      tasks.cancelAll()
      screen.events.close()
    }
    await page.stop()
  }

  private func container(_ bank: BankProcess, _ line: Line, _ store: URL) throws -> DIContainer {
    var patience = PaymentSender.Patience()
    patience.order = settings.order
    patience.again = Self.again
    return try DIContainer(
      bank: BankEnvironment(bank.environment(at: line.url)), secrets: MemorySecretStore(), store: store,
      patience: patience,
      // The bank is on this machine, whatever leads elsewhere.
      proxy: .none)
  }
}
