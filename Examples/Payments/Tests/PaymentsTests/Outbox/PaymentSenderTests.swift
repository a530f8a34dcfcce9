import ExampleSupport
import Foundation
import Synchronization
import Testing

@testable import payments

/// Each payment once, whatever becomes of orders and answers.
@Suite struct PaymentSenderTests {
  private func failure(_ body: () async throws -> Payment) async -> PaymentFailure? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? PaymentFailure }
  }

  @Test func keyAndBytesAreStoredBeforeTheyAreSent() async throws {
    let scene = try Scene()
    let order = try await scene.desk.accept(Scene.draft())
    scene.network.answer { [desk = scene.desk, bank = scene.bank] asked in
      // While the bank reads it, the store has it already.
      let stored = try await desk.order("first")
      #expect(stored?.state == .sent && stored?.key == order.key && stored?.body == asked.body)
      return try bank.answer(asked)
    }
    let payment = try await scene.sender.send("first")
    #expect(payment.reference == order.key)
    #expect(scene.sent == [order.body])
  }

  @Test func anOrderThatIsGivenTwiceIsOne() async throws {
    let scene = try Scene()
    let first = try await scene.repository.createPayment(Scene.draft())
    let second = try await scene.repository.createPayment(Scene.draft(amount: 99))
    #expect(first == second && scene.bank.booked.count == 1)
  }

  @Test func aLostAnswerIsFoundAndNotSentAgain() async throws {
    let scene = try Scene()
    scene.bank.meet([.lostAnswer])
    #expect(await failure { try await scene.repository.createPayment(Scene.draft()) } == .unknown)
    let order = try #require(try await scene.desk.order("first"))
    #expect(order.state == .sent)
    let payment = try await scene.sender.resolve(order)
    #expect(scene.bank.booked.count == 1 && payment.reference == order.key)
    #expect(try await scene.desk.count().unknownResolved == 1)
  }

  @Test func aLostOrderIsSentAgainWithTheSameBytes() async throws {
    let scene = try Scene()
    scene.bank.meet([.lostOrder, .notSent])
    _ = try await scene.desk.accept(Scene.draft())
    try await PaymentQueue(sender: scene.sender).empty()
    #expect(scene.bank.booked.count == 1)
    #expect(scene.sent.count == 3 && Set(scene.sent).count == 1)
  }

  @Test func theBankIsNotAskedBeforeNothingCanComeOfItAnyMore() async throws {
    let scene = try Scene()
    scene.bank.meet([.lostAnswer])
    var patient = scene.sender
    patient.patience = .init(order: 60, clocks: 1, again: 0)
    _ = try await scene.desk.accept(Scene.draft())
    _ = await failure { try await patient.send("first") }
    let order = try #require(try await scene.desk.order("first"))
    let deadline = try #require(order.deadline)
    #expect(deadline > .now && scene.network.asked.last?.deadline == deadline)
    #expect(await failure { try await patient.resolve(order) } == .unknown)
    #expect(scene.network.asked.count == 1)
    #expect(try await scene.desk.open().map(\.at) == [deadline.addingTimeInterval(1)])
  }

  @Test(arguments: [
    (MockBank.Outcome.fails(.refused(422, "There is not enough.")), OutgoingState.rejected),
    (.fails(.forbidden), .sent), (.fails(.refused(408, "")), .sent), (.fails(.limited), .waiting),
    (.fails(.unauthorized), .waiting), (.fails(.notSetUp), .waiting),
    (.notSent, .waiting), (.fails(.server), .sent), (.lostOrder, .sent), (.lostAnswer, .sent), (.answered, .made),
  ])
  func whatBecomesOfIt(_ outcome: MockBank.Outcome, _ state: OutgoingState) async throws {
    let scene = try Scene()
    scene.bank.meet([outcome])
    let failure = await failure { try await scene.repository.createPayment(Scene.draft()) }
    #expect(try await scene.desk.order("first")?.state == state)
    #expect((failure == nil) == (state == .made))
    // What failed is not shown as paid.
    #expect(try await scene.container.paymentDAO.getAll().count == (state == .made ? 1 : 0))
  }

  /// Who looks for an outage does not find what is wrong.
  @Test(arguments: [
    (MockBank.Outcome.fails(.notSetUp), PaymentFailure.notSetUp), (.fails(.limited), .busy), (.notSent, .offline),
  ])
  func whyItIsNotMadeYet(_ outcome: MockBank.Outcome, _ expected: PaymentFailure) async throws {
    let scene = try Scene()
    scene.bank.meet([outcome])
    _ = try await scene.desk.accept(Scene.draft())
    #expect(await failure { try await scene.sender.send("first") } == expected)
  }

  @Test func aRefusalIsForGood() async throws {
    let scene = try Scene()
    scene.bank.meet([.fails(.refused(422, "There is not enough."))])
    _ = try await scene.desk.accept(Scene.draft())
    try await PaymentQueue(sender: scene.sender).empty()
    let refused = PaymentFailure.rejected("There is not enough.")
    #expect(await failure { try await scene.repository.createPayment(Scene.draft()) } == refused)
    #expect(scene.sent.count == 1)
  }

  /// The bank's words are somebody else's: a terminal does not obey them, and nobody has to read a book.
  @Test func aReasonIsPlainAndShort() async throws {
    let scene = try Scene()
    let title = "No\u{1B}[2J\n" + String(repeating: "e\u{301}", count: 40_000)
    scene.bank.meet([.fails(.refused(422, title))])
    _ = try await scene.desk.accept(Scene.draft())
    guard case .rejected(let words) = await failure({ try await scene.sender.send("first") }) else {
      Issue.record("not refused")
      return
    }
    #expect(words.hasPrefix("No\u{FFFD}[2J\u{FFFD}") && words.hasSuffix("…") && words.utf8.count < 1_000)
    #expect(try await scene.desk.order("first")?.reason == words)
  }

  @Test func whatWasSentByAProgramThatIsGoneIsAskedFor() async throws {
    let folder = try TemporaryFolder()
    let bank = MockBank()
    let key: String
    do {
      let scene = try Scene(in: folder, bank: bank)
      key = try await scene.desk.accept(Scene.draft()).key
      // The program ends after the bank has booked it, and before it hears of it.
      let order = try #require(try await scene.desk.begin("first", deadline: .now))
      _ = try bank.answer(.init(name: "POST /v1/payments", query: [:], body: order.body))
    }
    let scene = try Scene(in: folder, bank: bank)
    try await scene.desk.begin()
    try await PaymentQueue(sender: scene.sender).empty()
    #expect(bank.booked.map(\.reference) == [key])
    let count = try await scene.desk.count()
    #expect(count.made == 1 && count.unknownResolved == 1 && count.open == 0)
  }

  /// The first attempt's failure is heard when the bank has been asked, and another attempt is under way.
  @Test func aLateNoteIsOfNoAttemptButItsOwn() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    let first = try #require(try await scene.desk.begin("first", deadline: .distantPast))
    _ = await failure { try await scene.sender.resolve(first) }
    let second = try #require(try await scene.desk.begin("first", deadline: .distantFuture))
    #expect(second.attempts == 2)
    try await scene.desk.notDone(first, again: .now)
    try await scene.desk.rejected(first, "late")
    #expect(try await scene.desk.begin("first", deadline: .distantFuture) == nil)
    #expect(try await scene.desk.order("first") == second)
  }

  /// Two programs on one store, which both have seen that it waits.
  @Test(arguments: 1...10) func twoProgramsMakeOneAttempt(_ round: Int) async throws {
    let scene = try Scene()
    let other = PaymentDesk(modelContainer: scene.container.stack.container)
    for number in 0..<20 { _ = try await scene.desk.accept(Scene.draft("\(number)")) }
    for number in 0..<20 {
      async let mine = scene.desk.begin("\(number)", deadline: .distantFuture)
      async let theirs = other.begin("\(number)", deadline: .distantFuture)
      let begun = try await [mine, theirs].compactMap { $0 }
      #expect(begun.count == 1)
    }
  }

  @Test func theBanksOwnClockDecides() async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: .now.addingTimeInterval(-1)))
    scene.network.time = .now.addingTimeInterval(-60)
    #expect(await failure { try await scene.sender.resolve(order) } == .unknown)
    #expect(try await scene.desk.order("first")?.state == .sent)
    scene.network.time = .now
    #expect(await failure { try await scene.sender.resolve(order) } == .lostOnTheWay)
    #expect(try await scene.desk.order("first")?.state == .waiting)
  }

  /// Whoever waits at a terminal hears why a payment is not made yet.
  @Test func whoWaitsIsToldWhy() async throws {
    let scene = try Scene()
    scene.bank.meet([.notSent, .lostOrder, .fails(.refused(422, "There is not enough."))])
    let told = Mutex<[PaymentFailure]>([])
    _ = try await scene.desk.accept(Scene.draft())
    try await PaymentQueue(sender: scene.sender, tell: { failure in told.withLock { $0.append(failure) } }).empty()
    let said = told.withLock { $0 }
    #expect(said.first == .offline && said.last == .rejected("There is not enough.") && said.contains(.unknown))
  }

  /// The clock was a day ahead when it was noted, and was set back since.
  @Test func aClockThatWasSetBackKeepsNothingWaiting() async throws {
    let scene = try Scene()
    let now = Date.now
    let patience = PaymentSender.Patience(order: 10, clocks: 1, again: 1)
    try #require(patience.time(now + 86_400, of: .waiting, now: now) == now)
    #expect(patience.time(now + 61, of: .sent, now: now) == now)
    // As long as a bank may ask for.
    for wait in [-5.0, 0, 1, 11, 60] { #expect(patience.time(now + wait, of: .sent, now: now) == now + wait) }
    #expect(patience.time(now + 3_600, of: .waiting, now: now) == now + 3_600)
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: now))
    try await scene.desk.notDone(order, again: now + 86_400)
    try await PaymentQueue(sender: scene.sender).empty()
    #expect(scene.bank.booked.count == 1)
  }

  /// Until the deadline the bank may book it; it is asked meanwhile, and each minute at most.
  @Test func anOrderFromAClockThatWasAheadIsAskedForMeanwhile() async throws {
    let scene = try Scene()
    let deadline = Date.now + 86_400
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: deadline))
    for time in [nil, Date.now, deadline - 1] {
      scene.network.time = time
      let before = Date.now
      #expect(await failure { try await scene.sender.resolve(order) } == .unknown)
      #expect(try await scene.desk.order("first")?.state == .sent)
      let again = try #require(try await scene.desk.open().first?.at)
      #expect(again >= before + PaymentSender.farPause && again <= .now + PaymentSender.farPause)
    }
    #expect(scene.network.asked.count == 3)
    // It has come after all.
    _ = try scene.bank.answer(.init(name: "POST /v1/payments", query: [:], body: order.body))
    #expect(try await scene.sender.resolve(order).reference == order.key)
  }

  /// Its orders are too late on arrival: there is no use in one each second, and people are told.
  @Test func aBankWhoseClockIsAheadIsAskedLessAndLess() async throws {
    let scene = try Scene()
    var sender = scene.sender
    sender.patience = .init(order: 3_600, clocks: 1, again: 3)
    scene.network.answer { _ in
      throw NetworkError.httpError(statusCode: 409, reason: "Too late.", type: "urn:bank:too-late")
    }
    _ = try await scene.desk.accept(Scene.draft())
    for wait in [3.0, 6, 12, 24, 48, 96, 192, 300, 300] {
      let before = Date.now
      #expect(await failure { try await sender.send("first") } == .clocksDisagree)
      let open = try await scene.desk.open()
      #expect(open.map(\.order.state) == [.waiting])
      let again = try #require(open.first?.at)
      #expect(again >= before + wait && again <= .now + wait)
    }
    #expect(try await scene.desk.order("first")?.reason?.hasPrefix("By the bank's clock it came too late") == true)
    // One of the clocks is set right.
    scene.network.answer { [bank = scene.bank] in try bank.answer($0) }
    _ = try await sender.send("first")
    #expect(try await scene.desk.order("first")?.reason == nil)
  }

  /// An order that took its time on the line is sent again soon: no clock is wrong.
  @Test func anOrderThatWasLateOnTheLineIsSentAgainSoon() async throws {
    let scene = try Scene()
    scene.network.answer { _ in
      throw NetworkError.httpError(statusCode: 409, reason: "Too late.", type: "urn:bank:too-late")
    }
    _ = try await scene.desk.accept(Scene.draft())
    // Good for no time, so that its deadline has passed when it is answered.
    #expect(await failure { try await scene.sender.send("first") } == .offline)
    #expect(try await scene.desk.order("first")?.reason == nil)
  }

  /// A bank that passes over what it is asked for answers with what it has.
  @Test func aListOfOthersSaysNothing() async throws {
    let scene = try Scene()
    _ = try await scene.repository.createPayment(Scene.draft("another"))
    _ = try await scene.desk.accept(Scene.draft())
    let order = try #require(try await scene.desk.begin("first", deadline: .distantPast))
    scene.network.answer { [bank = scene.bank] asked in
      var asked = asked
      asked.query = [:]
      return try bank.answer(asked)
    }
    #expect(await failure { try await scene.sender.resolve(order) } == .unknown)
    #expect(try await scene.desk.order("first")?.state == .sent)
  }

  /// It is booked, and the bank says of it what nobody can read: a moment later it will hardly say something else.
  @Test(arguments: ["of another kind", "no JSON", "of another order"])
  func aBankThatCannotBeReadIsAskedLessAndLess(_ answer: String) async throws {
    let scene = try Scene()
    var sender = scene.sender
    sender.patience = .init(order: 0, clocks: 0, again: 3)
    let other = try await scene.repository.createPayment(Scene.draft("another"))
    scene.network.answer { [bank = scene.bank] asked in
      let data = try bank.answer(asked)
      switch answer {
      case "of another kind":
        return Data(String(decoding: data, as: UTF8.self).replacing("\"pending\"", with: "\"held\"").utf8)
      case "no JSON": throw asked.body == nil ? NetworkError.decodingError : .noAnswer
      default:
        let another = try #require(bank.booked.first { $0.id == other.id })
        return try asked.body == nil
          ? JSONEncoder.standardEncoder.encode([another]) : JSONEncoder.standardEncoder.encode(another)
      }
    }
    _ = try await scene.desk.accept(Scene.draft())
    #expect(await failure { try await sender.send("first") } == .unknown)
    var waits = answer == "no JSON" ? [3.0, 6, 12, 24, 48, 60, 60] : [6.0, 12, 24, 48, 60, 60]
    while let wait = waits.first {
      waits.removeFirst()
      let order = try #require(try await scene.desk.order("first"))
      let before = Date.now
      #expect(await failure { try await sender.resolve(order) } == .unknown)
      let open = try #require(try await scene.desk.open().first)
      #expect(open.order.state == .sent && open.at >= before + wait && open.at <= .now + wait)
      // No longer than what a clock that was set back is known by.
      #expect(sender.patience.time(open.at, of: .sent, now: .now) == open.at)
    }
    // It can be read at last.
    scene.network.answer { [bank = scene.bank] in try bank.answer($0) }
    let order = try #require(try await scene.desk.order("first"))
    #expect(try await sender.resolve(order).reference == order.key)
    #expect(scene.bank.booked.count == 2)
  }

  /// The answer to one order is that of another: whatever has become of this one, it is not made by that.
  @Test func anAnswerOfAnotherOrderIsNone() async throws {
    let scene = try Scene()
    let other = try await scene.repository.createPayment(Scene.draft("another"))
    scene.network.answer { [bank = scene.bank] _ in
      try JSONEncoder.standardEncoder.encode(try #require(bank.booked.first { $0.id == other.id }))
    }
    #expect(await failure { try await scene.repository.createPayment(Scene.draft()) } == .unknown)
    #expect(try await scene.container.paymentDAO.getAll() == [other])
  }

  /// A seed decides what becomes of each of many orders, and of the asking.
  @Test(arguments: 1...20)
  func eachIsPaidOnce(_ seed: Int) async throws {
    let scene = try Scene()
    var random = SeededChance(seed: UInt64(seed))
    let all: [MockBank.Outcome] = [
      .answered, .lostAnswer, .lostOrder, .notSent, .fails(.limited), .fails(.unauthorized), .fails(.server),
    ]
    scene.bank.meet((0..<60).map { _ in all.randomElement(using: &random) ?? .answered })
    for number in 0..<20 { _ = try await scene.desk.accept(Scene.draft("\(number)", amount: Decimal(number + 1))) }
    // Each time that the customer has to sign in, they do.
    while true {
      do {
        try await PaymentQueue(sender: scene.sender).empty()
        break
      } catch PaymentFailure.needsSignIn {}
    }
    #expect(scene.bank.booked.map(\.amount).sorted() == (1...20).map { "\($0)" }.sorted())
    #expect(try await scene.container.paymentDAO.getAll().count == 20)
  }
}
