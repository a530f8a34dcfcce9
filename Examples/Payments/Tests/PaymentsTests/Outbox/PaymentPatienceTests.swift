import ExampleSupport
import Foundation
import Synchronization
import Testing

@testable import payments

/// A bank that is down, or asks to wait, is not asked on and on.
@Suite struct PaymentPatienceTests {
  @Test func aBankThatIsDownIsAskedLessAndLessOften() async throws {
    let scene = try Scene()
    scene.bank.meet([MockBank.Outcome](repeating: .notSent, count: 6))
    _ = try await scene.desk.accept(Scene.draft())
    var sender = scene.sender
    sender.patience.again = 0.125
    let told = Mutex(0)
    let slept = Mutex<[TimeInterval]>([])
    let queue = PaymentQueue(
      sender: sender, longestSilence: 3, sleepInSilence: { wait in slept.withLock { $0.append(wait) } },
      tell: { _ in told.withLock { $0 += 1 } })
    try await queue.empty()
    #expect(scene.bank.booked.count == 1 && told.withLock { $0 } == 6)
    #expect(slept.withLock { $0 } == [0.125, 0.375, 0.875, 1.875, 3, 3])
  }

  @Test func aBankThatAnswersIsNotWaitedFor() async throws {
    let scene = try Scene()
    scene.bank.meet([.fails(.refused(422, "no")), .lostOrder, .answered])
    for name in ["a", "b", "c"] { _ = try await scene.desk.accept(Scene.draft(name)) }
    var sender = scene.sender
    sender.patience.again = 0.01
    let slept = Mutex<[TimeInterval]>([])
    var queue = PaymentQueue(sender: sender, sleepInSilence: { wait in slept.withLock { $0.append(wait) } })
    queue.width = 1
    try await queue.empty()
    #expect(scene.bank.booked.count == 2 && slept.withLock { $0.isEmpty })
  }

  /// A bank that answers, whatever it says, is there.
  @Test(arguments: [NetworkError.serverError(statusCode: 503), .limited(until: nil), .forbidden, .decodingError])
  func anyAnswerIsHeard(_ error: NetworkError) async throws {
    let scene = try Scene()
    _ = try await scene.desk.accept(Scene.draft())
    let failures = Mutex(4)
    scene.network.answer { [bank = scene.bank] asked in
      let isToFail = failures.withLock { left in
        defer { left = max(0, left - 1) }
        return left > 0
      }
      if isToFail { throw error }
      return try bank.answer(asked)
    }
    let slept = Mutex<[TimeInterval]>([])
    try await PaymentQueue(sender: scene.sender, sleepInSilence: { wait in slept.withLock { $0.append(wait) } }).empty()
    #expect(scene.bank.booked.count == 1 && slept.withLock { $0.isEmpty })
  }

  /// Before an order is sent, the bank is asked whose it is; what it says to that is not silence, either.
  @Test func whatIsSaidWhereThePartyCannotBeHad() async throws {
    let start = Date.now
    for (error, failure, wait) in [
      (NetworkError.limited(until: start + 900), PaymentFailure.busy, 900.0), (.limited(until: nil), .busy, 3),
      (.serverError(statusCode: 500), .outOfOrder, 3), (.notSent, .offline, 3), (.noAnswer, .offline, 3),
      (.noCredentials(reason: "it is locked", isLasting: false), .noCredentials("it is locked"), 3),
      (.noCredentials(reason: "The key is wrong.", isLasting: true), .secretsUnusable("The key is wrong."), 3),
    ] as [(NetworkError, PaymentFailure, TimeInterval)] {
      let scene = try Scene()
      var sender = scene.sender
      sender.patience.again = 3
      sender.party = { throw error }
      _ = try await scene.desk.accept(Scene.draft())
      let before = wait == 900 ? start : Date.now
      await #expect(throws: failure) { try await sender.send("first") }
      let again = try #require(try await scene.desk.open().first)
      #expect(
        again.order.state == .waiting && again.at >= before + wait - 0.001 && again.at <= .now + wait, "\(failure)")
      #expect(scene.network.asked.isEmpty && failure.needsHelp == (failure == .secretsUnusable("The key is wrong.")))
    }
  }

  /// A bank that asks to wait while it is asked for what may have been paid is asked then, but after a minute at the latest.
  @Test(arguments: [(20.0, 20.0), (200, 60), (3_600, 60), (-5, 3), (nil, 3)] as [(Double?, Double)])
  func whatIsUnknownIsAskedForAfterAMinuteAtTheLatest(_ wait: Double?, _ expected: Double) async throws {
    let scene = try Scene()
    scene.bank.meet([.lostAnswer])
    var sender = scene.sender
    sender.patience.again = 3
    _ = try await scene.desk.accept(Scene.draft())
    _ = try? await sender.send("first")
    let order = try #require(try await scene.desk.order("first"))
    let before = Date.now
    scene.network.answer { _ in throw NetworkError.limited(until: wait.map { before + $0 }) }
    await #expect(throws: PaymentFailure.unknown) { try await sender.resolve(order) }
    let again = try #require(try await scene.desk.open().first)
    #expect(again.order.state == .sent && again.at >= before + expected && again.at <= .now + expected, "\(again.at)")
  }
}
