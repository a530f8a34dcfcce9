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
      sender: sender, longestOffline: 3, sleepOffline: { wait in slept.withLock { $0.append(wait) } },
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
    var queue = PaymentQueue(sender: sender, sleepOffline: { wait in slept.withLock { $0.append(wait) } })
    queue.width = 1
    try await queue.empty()
    #expect(scene.bank.booked.count == 2 && slept.withLock { $0.isEmpty })
  }

  /// A bank that asks to wait while it is asked for what may have been paid is asked then, and not forgotten.
  @Test(arguments: [(200.0, 30.0...60.0), (3_600, 30...60), (-5, -600...4)])
  func whatIsUnknownIsAskedForWhenTheBankSaysSo(_ wait: Double, _ expected: ClosedRange<Double>) async throws {
    let scene = try Scene()
    scene.bank.meet([.lostAnswer])
    var sender = scene.sender
    sender.patience.again = 3
    _ = try await scene.desk.accept(Scene.draft())
    _ = try? await sender.send("first")
    let order = try #require(try await scene.desk.order("first"))
    scene.network.answer { _ in throw NetworkError.limited(until: .now + wait) }
    await #expect(throws: PaymentFailure.unknown) { try await sender.resolve(order) }
    let again = try #require(try await scene.desk.open().first)
    #expect(again.order.state == .sent && expected.contains(again.at.timeIntervalSinceNow), "\(again.at)")
  }
}
