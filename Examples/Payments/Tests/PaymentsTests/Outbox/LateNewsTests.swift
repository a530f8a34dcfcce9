import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import LarderTesting
import Synchronization
import Testing

@testable import payments
@testable import payments_bank

/// What is heard of an order when it is over, or before it was sent, changes nothing that it should not.
@Suite struct LateNewsTests {
  /// The bank has been asked, and has it; then the attempt itself fails at last.
  @Test func aPaymentThatIsMadeStaysMade() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: .distantPast))
    _ = try scene.bank.answer(.init(name: "POST /v1/payments", query: [:], body: order.body))
    _ = try await scene.sender.resolve(order)
    try await scene.desk.notDone(order, again: .now)
    #expect(try await scene.desk.order("first")?.state == .made)
    try await scene.desk.unknown(order, again: .now)
    try await scene.desk.rejected(order, "no")
    try await scene.desk.wait("first", until: .distantFuture)
    try await scene.desk.putAway("first")
    #expect(try await scene.desk.order("first")?.state == .made)
    #expect(try await scene.desk.count().made == 1)
    try await PaymentQueue(sender: scene.sender).empty()
    #expect(scene.bank.booked.count == 1)
  }

  /// What is put off is put off for as long as the bank asks, and what is over, or on its way, is not hurried.
  @Test func onlyWhatWaitsIsHurried() async throws {
    let scene = try Scene()
    let now = Date.now
    for name in ["soon", "late", "sent"] { _ = try await scene.desk.accept(Scene.draft(name)) }
    try await scene.desk.wait("soon", until: now + 50)
    try await scene.desk.wait("late", until: now + 900)
    let sent = try #require(try await scene.desk.begin("sent", deadline: now))
    try await scene.desk.unknown(sent, again: now + 50)
    try await scene.desk.wait("sent", until: now + 900)
    try await scene.desk.hurry(within: 60)
    let open = Dictionary(uniqueKeysWithValues: try await scene.desk.open().map { ($0.order.name, $0.at) })
    #expect(try #require(open["soon"]) <= .now)
    #expect(open["late"] == now + 900 && open["sent"] == now + 50)
  }

  /// A bank whose clock is behind, or that says "now", is not asked without a pause.
  @Test(arguments: [-3_600.0, 0, 0.5]) func aWaitThatHasPassedIsOneAllTheSame(_ wait: Double) async throws {
    let scene = try Scene()
    var sender = scene.sender
    sender.patience.again = 3
    _ = try await scene.desk.accept(Scene.draft())
    let before = Date.now
    scene.network.answer { _ in throw NetworkError.limited(until: before + wait) }
    await #expect(throws: PaymentFailure.busy) { try await sender.send("first") }
    let again = try #require(try await scene.desk.open().first?.at)
    #expect(again >= before + 3 && again <= .now + 3)
  }

  /// What cannot be sent by how the program is set up is no refusal of the bank's.
  @Test(arguments: [NetworkError.invalidURL, .notSetUp]) func aFaultOfTheProgramsRefusesNothing(_ error: NetworkError)
    async throws
  {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    scene.network.answer { _ in throw error }
    await #expect(throws: PaymentFailure.notSetUp) { try await scene.sender.send("first") }
    #expect(try await scene.desk.order("first")?.state == .waiting)
  }

  private func container(_ bank: BankServer, _ folder: TemporaryFolder) throws -> DIContainer {
    return try DIContainer(
      bank: BankEnvironment(bank.environment(in: folder)),
      secrets: MemorySecretStore(), store: folder.url.appending(path: "payments.store"),
      patience: .init(order: 60, clocks: 0.1, again: 0.1), proxy: .none)
  }

  /// Something on the way says once that there is no such address. The bank, which knows whose it is, refuses the order then.
  @Test func aBankThatIsNotFoundOnceIsPaidAtAllTheSame() async throws {
    let folder = try TemporaryFolder()
    let bank = try BankServer(rules: BankRules(), firstToken: "a", directionKey: "key")
    defer { bank.stop() }
    let container = try container(bank, folder)
    try await container.session?.signIn(Secret("a"))
    _ = try await container.desk.accept(Scene.draft())
    let place = try #require(container.session?.place)
    let isLost = Mutex(true)
    var sender = container.sender
    let own = sender.party
    sender.party = { if isLost.withLock({ $0 }) { place } else { try await own() } }
    sender.forgetParty = { isLost.withLock { $0 = false } }
    try await PaymentQueue(sender: sender).empty()
    #expect(bank.ledger.payments.count == 1)
    #expect(try await container.desk.order("first")?.party?.hasPrefix(place) == false)
  }

  /// The name of a customer that would end the line of a field is none that could be asked for.
  @Test(arguments: [("customer\n1", false), ("a\u{0}b", false), ("x\u{7F}y", false), ("M\u{fc}ller", true)])
  func namesThatAreNoFields(_ customer: String, _ isGood: Bool) async throws {
    let folder = try TemporaryFolder()
    var rules = BankRules()
    rules.customer = customer
    let bank = try BankServer(rules: rules, firstToken: "a", directionKey: "key")
    defer { bank.stop() }
    let container = try container(bank, folder)
    try await container.session?.signIn(Secret("a"))
    _ = try await container.desk.accept(Scene.draft())
    if isGood {
      _ = try await container.sender.send("first")
    } else {
      await #expect(throws: PaymentFailure.outOfOrder) { try await container.sender.send("first") }
    }
    #expect(try await container.desk.order("first")?.state == (isGood ? .made : .waiting))
  }
}
