import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Synchronization
import Testing

@testable import payments
@testable import payments_bank

/// What was sent to one bank, for one customer, is looked for and sent again only there: whoever else is asked says
/// honestly that there is none.
@Suite struct PartyTests {
  private func failure(_ body: () async throws -> Payment) async -> PaymentFailure? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? PaymentFailure }
  }

  private func sender(_ scene: Scene, _ party: String?) -> PaymentSender {
    var sender = scene.sender
    sender.party = { party }
    return sender
  }

  @Test(arguments: ["other/alice", "bank/bob", nil]) func whoElseIsAskedDecidesNothing(_ other: String?) async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    scene.bank.meet([.lostAnswer])
    #expect(await failure { try await sender(scene, "bank/alice").send("first") } == .unknown)
    let order = try #require(try await scene.desk.order("first"))
    let elsewhere = try Scene(in: scene.folder)
    #expect(await failure { try await sender(elsewhere, other).resolve(order) } == .otherParty)
    #expect(elsewhere.bank.booked.isEmpty && elsewhere.network.asked.isEmpty)
    #expect(try await scene.desk.order("first")?.state == .sent)
    _ = try await sender(scene, "bank/alice").resolve(order)
    #expect(scene.bank.booked.count == 1)
  }

  /// What surely was not booked is not sent to another one either, whoever's money that would be.
  @Test func whatWasSentOnceIsNotSentToAnother() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    scene.bank.meet([.notSent])
    #expect(await failure { try await sender(scene, "bank/alice").send("first") } == .offline)
    await #expect(throws: PaymentFailure.otherParty) {
      try await PaymentQueue(sender: sender(scene, "bank/bob")).empty()
    }
    #expect(scene.bank.booked.isEmpty && scene.network.asked.count == 1)
    _ = try await sender(scene, "bank/alice").send("first")
    #expect(scene.bank.booked.count == 1)
  }

  /// Where nobody can say whose bank it is, nothing is sent, and it is not asked without a pause.
  @Test func whereItCannotBeKnownNothingIsSent() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    var sender = scene.sender
    sender.patience.again = 60
    sender.party = { throw NetworkError.unauthorized }
    #expect(await failure { try await sender.send("first") } == .needsSignIn)
    #expect(scene.network.asked.isEmpty)
    #expect(try #require(try await scene.desk.open().first).at > .now + 30)
  }

  /// A session that has ended is said, also where all that is left is unknown.
  @Test(arguments: [
    (NetworkError.unauthorized, PaymentFailure.needsSignIn), (.untrusted, .untrusted), (.notSetUp, .notSetUp),
  ])
  func whatSomebodyHasToMendEndsTheWaiting(_ error: NetworkError, _ expected: PaymentFailure) async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    scene.bank.meet([.lostAnswer])
    _ = await failure { try await scene.sender.send("first") }
    scene.network.answer { _ in throw error }
    await #expect(throws: expected) { try await PaymentQueue(sender: scene.sender).empty() }
    #expect(try await scene.desk.order("first")?.state == .sent)
  }

  /// Two banks on this machine, and two customers of one.
  @Test(arguments: [true, false]) func twoBanks(_ isOfOneBank: Bool) async throws {
    let folder = try TemporaryFolder()
    var rules = BankRules()
    let books = Books(file: folder.url.appending(path: "books"))
    let first = try BankServer(rules: rules, books: isOfOneBank ? books : nil, firstToken: "a", directionKey: "key")
    if isOfOneBank { rules.customer = "customer-2" }
    let second = try BankServer(rules: rules, books: isOfOneBank ? books : nil, firstToken: "a", directionKey: "key")
    func container(_ bank: BankServer) throws -> DIContainer {
      try DIContainer(
        bank: BankEnvironment(bank.environment(in: folder)),
        secrets: MemorySecretStore(), store: folder.url.appending(path: "payments.store"),
        patience: .init(order: 10, clocks: 0, again: 0), proxy: .none)
    }
    let mine = try container(first)
    try await mine.session?.signIn(Secret("a"))
    _ = try await mine.desk.accept(Scene.draft())
    // It comes too late, and nobody hears so: what became of it is to be asked.
    let party = try #require(try await mine.sender.party())
    let order = try #require(try await mine.desk.begin("first", deadline: .distantPast, party: party))
    let others = try container(second)
    try await others.session?.signIn(Secret("a"))
    #expect(try await others.sender.party() != party)
    #expect(await failure { try await others.sender.resolve(order) } == .otherParty)
    // Also where somebody else signs in between the question who it is and the next one: the bank itself refuses.
    var late = others.sender
    late.party = { party }
    #expect(await failure { try await late.resolve(order) } == .otherParty)
    #expect(second.ledger.payments.isEmpty)
    #expect(await failure { try await mine.sender.resolve(order) } == .lostOnTheWay)
    _ = try await mine.sender.send("first")
    #expect(first.ledger.payments.count == 1)
  }

  /// Letters that are composed otherwise look the same, and are.
  @Test func aNameIsOneHoweverItIsComposed() async throws {
    let scene = try Scene()
    let first = try await scene.desk.accept(Scene.draft("caf\u{E9}"))
    let second = try await scene.desk.accept(Scene.draft("cafe\u{301}"))
    #expect(first == second)
    #expect(try await scene.desk.open().count == 1)
  }
}
