import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Synchronization
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

  /// - Parameter again: By default longer than a test takes: what is paid is paid because somebody has signed in.
  private func container(secrets: (any SecretStore)? = nil, again: TimeInterval = 600) throws -> DIContainer {
    return try DIContainer(
      bank: BankEnvironment(bank.environment(in: folder)),
      secrets: secrets ?? self.secrets, store: folder.url.appending(path: "payments.store"),
      patience: .init(order: 600, clocks: 1, again: again), proxy: .none)
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
    try await wait(for: "the order") { scene.screen.list.onTheirWay.first?.stage == .waiting(wasTried: false) }
    #expect(try await scene.get().contains("name=\"code\" type=\"password\""))
    for (code, words) in [("", "Enter the code"), ("first", "The bank does not know this code.")] {
      let (_, html) = try await scene.post("/sign-in", [("code", code)])
      #expect(html.contains(words) && html.contains("name=\"code\"") && !html.contains("value=\"first\""))
    }
    #expect(bank.ledger.payments.isEmpty)
    #expect(try await scene.post("/sign-in", []).status == 400)
    #expect(try await scene.post("/sign-in", [("code", " letter ")], asScript: true).text.contains("Signed in."))
    try await wait(for: "the payment") { scene.screen.list.payments.count == 1 }
    try await wait(for: "the end of the form") { !scene.screen.signIn.isNeeded }
    #expect(bank.ledger.payments.count == 1)
    let after = try await scene.get()
    #expect(
      !after.contains("name=\"code\"") && !after.contains("id=\"letter\"") && after.contains("You are signed in."))
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
    #expect(try await session.signInOnce(Secret("first")) == .signedIn)
    #expect(try await secrets.secret(for: name) == Secret("first"))
    try await secrets.set(Secret("newer"), for: name)
    #expect(try await session.signInOnce(Secret("first")) == .known)
    #expect(try await secrets.secret(for: name) == Secret("newer"))
    bank.tokens.end(next: "second")
    #expect(try await session.signInOnce(Secret("second")) == .signedIn)
    #expect(try await secrets.secret(for: name) == Secret("second"))
    // What was signed in by is forgotten with it.
    try await secrets.remove(name)
    #expect(try await session.signInOnce(Secret("second")) == .signedIn)
    #expect(try await secrets.secret(for: name) == Secret("second"))
    bank.stop()
    // Nobody knows whether it is better: the next time it is asked for again.
    for _ in 0..<2 { #expect(try await session.signInOnce(Secret("third")) == .notAsked) }
    #expect(try await secrets.secret(for: name) == Secret("second"))
    // Without a session there is none to lose, and no bank is needed to begin.
    try await secrets.remove(name)
    #expect(try await session.signInOnce(Secret("fourth")) == .signedIn)
  }

  /// It may be older than the session, or mistyped.
  @Test func aVariableThatTheBankDoesNotKnowEndsNoSession() async throws {
    let container = try container()
    let session = try #require(container.session)
    let customer = try #require(container.customer)
    let name = SecretName(service: "127.0.0.1", account: "refresh-token")
    #expect(try await session.signInOnce(Secret("first")) == .signedIn)
    bank.tokens.end(next: "second")
    try await customer.signIn(by: Secret("second"))
    // The variable is as it was, though somebody has signed in by something else.
    #expect(try await session.signInOnce(Secret("first")) == .known)
    #expect(try await session.signInOnce(Secret("mistyped")) == .refused)
    // The bank is not shown again what it does not know.
    #expect(try await session.signInOnce(Secret("mistyped")) == .known)
    #expect(try await session.signInOnce(Secret("first")) == .refused)
    #expect(try await secrets.secret(for: name) == Secret("second"))
    try await container.paymentRepository.syncPayments()
    bank.stop()
  }

  /// However often it cannot be read: that says nothing of what is in it.
  @Test func aSecretStoreThatIsLockedSignsNobodyOut() async throws {
    let locked = LockedStore(secrets)
    let container = try container(secrets: locked, again: 0)
    try await container.session?.signIn(Secret("first"))
    locked.refuse(5)
    let told = Mutex<[PaymentFailure]>([])
    _ = try await container.desk.accept(Scene.draft())
    try await PaymentQueue(sender: container.sender, tell: { failure in told.withLock { $0.append(failure) } }).empty()
    #expect(told.withLock { $0 } == [PaymentFailure](repeating: .noCredentials("The keyring is locked"), count: 5))
    #expect(bank.ledger.payments.count == 1)
    bank.stop()
  }

  /// Who has signed in hears from the session that it is good, and from nobody else: it may have ended once more.
  @Test func theSessionSaysWhetherToSignIn() async throws {
    struct Customer: CustomerSession {
      let states: AsyncStream<Bool>
      func needsSignIn() -> AsyncStream<Bool> { states }
      func signIn(by secret: Secret) async throws(SignInFailure) {}
    }
    let (states, says) = AsyncStream.makeStream(of: Bool.self)
    let customer = Customer(states: states)
    let model = SignInViewModel(customer)
    let running = Task { await model.run {} }
    says.yield(true)
    try await wait(for: "the word") { model.isNeeded }
    #expect(await model.signIn("code") == nil)
    #expect(model.isNeeded)
    says.yield(false)
    try await wait(for: "the other word") { !model.isNeeded }
    says.finish()
    await running.value
    bank.stop()
  }

  /// Whoever stops it at the question has a terminal that shows what is typed.
  @Test func aTerminalThatIsLeftShowsWhatIsTyped() async throws {
    for number in [SIGINT, SIGTERM] {
      let (own, terminal) = try Self.terminal()
      func isShown() throws -> Bool {
        var state = termios()
        try #require(tcgetattr(terminal.fileDescriptor, &state) == 0)
        return state.c_lflag & tcflag_t(ECHO) != 0
      }
      #expect(try isShown())
      var environment = try bank.environment(in: folder)
      environment[Payer.secretKey] = try SecretKey.random().base64().text() ?? ""
      let process = try ChildProgram(
        BankProcess.program("payments"), ["--store", folder.url.appending(path: "own.store").path, "--sign-in"],
        environment: environment, input: .file(terminal), output: .nothing, error: .nothing)
      try await wait(for: "the question") { try !isShown() }
      #expect(process.signal(number))
      try await wait(for: "the end") { !process.isRunning }
      #expect(process.wait() == .exit(128 + number))
      #expect(try isShown())
      try own.close()
    }
    bank.stop()
  }

  /// A terminal: the side of who types, and that of the program.
  private static func terminal() throws -> (own: FileHandle, terminal: FileHandle) {
    // What posix_openpt(3), unlockpt(3) and ptsname(3) do, which Swift does not see: TIOCSPTLCK and TIOCGPTN.
    let (unlock, ask) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let own = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (isLocked, number) = (Int32(0), UInt32(0))
    try #require(own >= 0 && ioctl(own, unlock, &isLocked) == 0 && ioctl(own, ask, &number) == 0)
    let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    return (
      FileHandle(fileDescriptor: own, closeOnDealloc: true), FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    )
  }

  /// Runs the program to its end, on a store of its own.
  private func program(
    _ arguments: [String], _ environment: [String: String], typing: String = ""
  ) async throws -> (end: ChildProgram.End, said: String) {
    let (input, output) = (Pipe(), folder.url.appending(path: "said"))
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    let process = try ChildProgram(
      BankProcess.program("payments"), ["--store", folder.url.appending(path: "own.store").path] + arguments,
      environment: environment, input: .pipe(input), output: .file(handle), error: .file(handle))
    input.fileHandleForWriting.write(Data(typing.utf8))
    try input.fileHandleForWriting.close()
    let end = await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: process.wait()) }
    }
    return (end, try String(contentsOf: output, encoding: .utf8))
  }

  /// The program itself, at a terminal.
  @Test func atTheTerminal() async throws {
    let drafts = folder.url.appending(path: "drafts.json")
    try JSONEncoder().encode([Scene.draft()]).write(to: drafts)
    var environment = try bank.environment(in: folder)
    environment[Payer.secretKey] = try SecretKey.random().base64().text() ?? ""
    environment["no_proxy"] = "127.0.0.1"
    func run(_ arguments: [String], typing: String = "") async throws -> (end: ChildProgram.End, said: String) {
      try await program(arguments, environment, typing: typing)
    }

    let unknown = try await run(["--pay", drafts.path])
    #expect(unknown.end == .exit(1) && unknown.said.contains("Nobody has signed in yet: sign in by"), "\(unknown.said)")
    #expect(unknown.said.contains("There is no store yet at"))
    let nothing = try await run(["--sign-in"])
    #expect(nothing.end == .exit(1) && nothing.said.contains("needs the code"), "\(nothing.said)")
    let wrong = try await run(["--sign-in"], typing: "wrong\n")
    #expect(wrong.end == .exit(1) && wrong.said.contains("does not know this code"), "\(wrong.said)")
    let right = try await run(["--sign-in"], typing: "first\n")
    #expect(right.end == .exit(0) && right.said.contains("Signed in."), "\(right.said)")
    let paid = try await run(["--pay", drafts.path])
    #expect(paid.end == .exit(0) && bank.ledger.payments.count == 1, "\(paid.said)")

    // Without the key nothing can be paid, however long it is waited for.
    let key = environment[Payer.secretKey]
    environment[Payer.secretKey] = try SecretKey.random().base64().text()
    try JSONEncoder().encode([Scene.draft("with a wrong key")]).write(to: drafts)
    let locked = try await run(["--pay", drafts.path])
    #expect(locked.end == .exit(1) && locked.said.contains("This is not the key of"), "\(locked.said)")
    #expect(bank.ledger.payments.count == 1)
    environment[Payer.secretKey] = key
    #expect(!locked.said.contains("There is no store yet at"))

    // A list that was edited pays neither what it asks for nor what it asked for before.
    try JSONEncoder().encode([Scene.draft("another"), Scene.draft(amount: 99)]).write(to: drafts)
    let edited = try await run(["--pay", drafts.path])
    #expect(edited.end == .exit(1) && edited.said.contains("asks in payment 2 for something else"), "\(edited.said)")
    #expect(!edited.said.contains("Ada") && bank.ledger.payments.count == 1)

    // The session ends; another code by the variable is all that it takes.
    bank.tokens.end(next: "second")
    try JSONEncoder().encode([Scene.draft(), Scene.draft("more"), refused]).write(to: drafts)
    let ended = try await run(["--pay", drafts.path])
    #expect(ended.end == .exit(1) && ended.said.contains("The bank has ended the session: sign in"), "\(ended.said)")
    #expect(ended.said.contains("PAYMENTS_TOKEN"))
    environment["PAYMENTS_TOKEN"] = "second"
    let again = try await run(["--pay", drafts.path])
    #expect(
      again.end == .exit(1) && again.said.contains("the bank has refused 1: --refused tells why"), "\(again.said)")
    // What waited for its key is paid, too.
    #expect(bank.ledger.payments.count == 3)

    // What the bank has refused is told of until it is put away.
    let told = try await run(["--refused"])
    #expect(told.said.contains("refused\t11.00\u{A0}EUR to Ada\tThere is not enough on the account."), "\(told.said)")
    let none = try await run(["--put-away", "more"])
    #expect(none.end == .exit(1) && none.said.contains("No payment that was refused has this name"), "\(none.said)")
    #expect(try await run(["--put-away", "refused"]).end == .exit(0))
    #expect(try await run(["--refused"]).said == "The bank has refused nothing.\n")
    bank.stop()
  }

  /// A code that was never good has begun no session that could end.
  @Test func aFirstCodeThatTheBankDoesNotKnowIsSaidToBeThat() async throws {
    let drafts = folder.url.appending(path: "drafts.json")
    try JSONEncoder().encode([Scene.draft()]).write(to: drafts)
    var environment = try bank.environment(in: folder)
    environment["PAYMENTS_TOKEN"] = "mistyped"
    environment[Payer.secretKey] = try SecretKey.random().base64().text() ?? ""
    environment["no_proxy"] = "127.0.0.1"
    let unknown = try await program(["--pay", drafts.path], environment)
    #expect(
      unknown.end == .exit(1) && unknown.said.contains("The bank does not know what PAYMENTS_TOKEN has"),
      "\(unknown.said)")
    #expect(!unknown.said.contains("mistyped") && !unknown.said.contains("ended"))
    bank.stop()
  }

  /// Also one that is called as somebody might call all of them.
  @Test func eachThatWasRefusedIsPutAwayByItsName() async throws {
    let scene = try Scene()
    let words = MockBank.Outcome.fails(.refused(422, "There is not enough."))
    scene.bank.meet([words, words, words])
    for name in ["all", "one", "two"] { _ = try await scene.desk.accept(Scene.draft(name)) }
    try await PaymentQueue(sender: scene.sender).empty()
    let refused = RefusedPayments(stack: scene.container.stack)
    try await refused.putAway("all")
    #expect(try refused.lines().map { $0.prefix(3) } == ["one", "two"])
    try await refused.putAway(nil)
    #expect(try refused.lines().isEmpty)
    bank.stop()
  }

  private var refused: PaymentDraft {
    var draft = Scene.draft("refused", amount: 11)
    draft.accountId = "acc-2"
    return draft
  }
}

/// A secret store that cannot be read for some times.
private final class LockedStore: SecretStore {
  private let store: MemorySecretStore
  private let left = Mutex(0)

  init(_ store: MemorySecretStore) { self.store = store }

  func refuse(_ times: Int) { left.withLock { $0 = times } }

  func secret(for name: SecretName) async throws(SecretError) -> Secret? {
    let isRefused = left.withLock { left in
      left -= 1
      return left >= 0
    }
    if isRefused { throw .locked }
    return try await store.secret(for: name)
  }

  func set(_ secret: Secret, for name: SecretName) async throws(SecretError) { try await store.set(secret, for: name) }
  func remove(_ name: SecretName) async throws(SecretError) { try await store.remove(name) }
  func names(of service: String) async throws(SecretError) -> [SecretName] { try await store.names(of: service) }
}
