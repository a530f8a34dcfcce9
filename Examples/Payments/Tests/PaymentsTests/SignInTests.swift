import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Testing

@testable import payments
@testable import payments_bank

/// A session that ends, and how the customer signs in again.
@MainActor @Suite struct SignInTests {
  private let bank: BankServer
  private let folder: TemporaryFolder
  private let secrets = MemorySecretStore()

  init() throws {
    bank = try BankServer(firstToken: "first", directionKey: "key")
    folder = try TemporaryFolder()
  }

  private func container() throws -> DIContainer {
    let authority = folder.url.appending(path: "authority.pem")
    try bank.authority.write(to: authority)
    return try DIContainer(
      bank: BankEnvironment([
        "PAYMENTS_URL": bank.url("").absoluteString, "PAYMENTS_PINS": bank.pin, "PAYMENTS_AUTHORITY": authority.path,
      ]),
      secrets: secrets, store: folder.url.appending(path: "payments.store"),
      // Longer than a test takes: what is paid is paid because somebody has signed in.
      patience: .init(order: 600, clocks: 1, again: 600), proxy: .none)
  }

  /// Through the page: the session ends, it is said, a wrong code is refused, the right one pays what waits.
  @Test func whoSignsInOnThePagePaysWhatWaits() async throws {
    let container = try container()
    try await container.session?.signIn(Secret("first"))
    let scene = try PageScene(container: container) { [bank] in bank.tokens.end(next: $0) }
    try await wait(for: "the first sync") { scene.screen.sync.lastSync != nil }
    #expect(try await !scene.get().contains("The bank has ended your session"))
    let (_, ended) = try await scene.post("/session", [])
    #expect(ended.contains("<code id=\"letter\">letter</code>"))
    try await wait(for: "the word") { scene.screen.signIn.isNeeded }
    // Once is enough, though the sync has failed of it, too.
    try await wait(for: "the trouble") { scene.screen.sync.trouble == "Sign in to the bank again." }
    #expect(try await !scene.get().contains("Sign in to the bank again."))
    try await scene.pay()
    try await wait(for: "an attempt") { scene.screen.list.onTheirWay.first?.stage == .waiting(wasTried: true) }
    #expect(try await scene.get().contains("name=\"code\" type=\"password\""))
    for (code, words) in [("", "Enter the code"), ("first", "The bank does not know this code.")] {
      let (_, html) = try await scene.post("/sign-in", [("code", code)])
      #expect(html.contains(words) && html.contains("name=\"code\"") && !html.contains("value=\"first\""))
    }
    #expect(bank.ledger.payments.isEmpty)
    #expect(try await scene.post("/sign-in", []).status == 400)
    #expect(try await scene.post("/sign-in", [("code", " letter ")], asScript: true).text.contains("Signed in."))
    try await wait(for: "the payment") { scene.screen.list.payments.count == 1 }
    #expect(bank.ledger.payments.count == 1 && !scene.screen.signIn.isNeeded)
    #expect(try await !scene.get().contains("name=\"code\""))
    await scene.end()
    bank.stop()
  }

  @Test func aCodeThatIsRefusedTakesNothingsPlace() async throws {
    let container = try container()
    let session = try #require(container.session)
    let customer = try #require(container.customer)
    try await session.signIn(Secret("first"))
    await #expect(throws: SignInFailure.refused) { try await customer.signIn(by: Secret("wrong")) }
    try await container.paymentRepository.syncPayments()
    bank.stop()
    await #expect(throws: SignInFailure.noBank) { try await customer.signIn(by: Secret("first")) }
  }

  /// The variable counts when it is another than the last time; what the bank gave since is newer than the same.
  @Test func theVariableSignsInWhenItIsAnother() async throws {
    let container = try container()
    let session = try #require(container.session)
    let name = SecretName(service: "127.0.0.1", account: "refresh-token")
    try await session.signInOnce(Secret("first"))
    #expect(try await secrets.secret(for: name) == Secret("first"))
    try await secrets.set(Secret("newer"), for: name)
    try await session.signInOnce(Secret("first"))
    #expect(try await secrets.secret(for: name) == Secret("newer"))
    try await session.signInOnce(Secret("second"))
    #expect(try await secrets.secret(for: name) == Secret("second"))
    // What was signed in by is forgotten with it.
    try await secrets.remove(name)
    try await session.signInOnce(Secret("second"))
    #expect(try await secrets.secret(for: name) == Secret("second"))
    bank.stop()
  }

  /// The program itself, at a terminal.
  @Test func atTheTerminal() async throws {
    let drafts = folder.url.appending(path: "drafts.json")
    try JSONEncoder().encode([Scene.draft()]).write(to: drafts)
    let authority = folder.url.appending(path: "authority.pem")
    try bank.authority.write(to: authority)
    var environment = [
      "PAYMENTS_URL": bank.url("").absoluteString, "PAYMENTS_PINS": bank.pin, "PAYMENTS_AUTHORITY": authority.path,
      Payer.secretKey: try SecretKey.random().base64().text() ?? "", "no_proxy": "127.0.0.1",
    ]
    let folder = folder
    func run(_ arguments: [String], typing: String = "") async throws -> (status: Int32, said: String) {
      let process = Process()
      let (input, output) = (Pipe(), folder.url.appending(path: "said"))
      process.executableURL = try BankProcess.program("payments")
      process.arguments = ["--store", folder.url.appending(path: "own.store").path] + arguments
      process.environment = environment
      try Data().write(to: output)
      let handle = try FileHandle(forWritingTo: output)
      process.standardInput = input
      process.standardOutput = handle
      process.standardError = handle
      try process.run()
      input.fileHandleForWriting.write(Data(typing.utf8))
      try input.fileHandleForWriting.close()
      await withCheckedContinuation { done in
        Thread.detachNewThread {
          process.waitUntilExit()
          done.resume()
        }
      }
      return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
    }

    let unknown = try await run(["--pay", drafts.path])
    #expect(unknown.status == 1 && unknown.said.contains("sign in by --sign-in"), "\(unknown.said)")
    let nothing = try await run(["--sign-in"])
    #expect(nothing.status == 1 && nothing.said.contains("needs the code"), "\(nothing.said)")
    let wrong = try await run(["--sign-in"], typing: "wrong\n")
    #expect(wrong.status == 1 && wrong.said.contains("does not know this code"), "\(wrong.said)")
    let right = try await run(["--sign-in"], typing: "first\n")
    #expect(right.status == 0 && right.said.contains("Signed in."), "\(right.said)")
    let paid = try await run(["--pay", drafts.path])
    #expect(paid.status == 0 && bank.ledger.payments.count == 1, "\(paid.said)")

    // The session ends; another code by the variable is all that it takes.
    bank.tokens.end(next: "second")
    try JSONEncoder().encode([Scene.draft(), Scene.draft("more"), refused]).write(to: drafts)
    let ended = try await run(["--pay", drafts.path])
    #expect(ended.status == 1 && ended.said.contains("PAYMENTS_TOKEN"), "\(ended.said)")
    environment["PAYMENTS_TOKEN"] = "second"
    let again = try await run(["--pay", drafts.path])
    #expect(again.status == 0 && bank.ledger.payments.count == 2, "\(again.said)")

    // What the bank has refused is told of until it is put away.
    let told = try await run(["--refused"])
    #expect(told.said.contains("refused\t11.00\u{A0}EUR to Ada\tThere is not enough on the account."), "\(told.said)")
    let none = try await run(["--put-away", "more"])
    #expect(none.status == 1 && none.said.contains("No payment that was refused has this name"), "\(none.said)")
    #expect(try await run(["--put-away", "refused"]).status == 0)
    #expect(try await run(["--refused"]).said == "The bank has refused nothing.\n")
    bank.stop()
  }

  private var refused: PaymentDraft {
    var draft = Scene.draft("refused", amount: 11)
    draft.accountId = "acc-2"
    return draft
  }
}
