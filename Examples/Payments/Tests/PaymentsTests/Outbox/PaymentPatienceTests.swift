import ExampleSupport
import Foundation
import Synchronization
import Testing

@testable import payments

/// A bank that is down, or asks to wait, is not asked on and on.
@Suite struct PaymentPatienceTests {
  @Test func aBankThatIsDownIsAskedLessAndLessOften() async throws {
    let scene = try Scene()
    scene.bank.meet([MockBank.Outcome](repeating: .notSent, count: 5))
    _ = try await scene.desk.accept(Scene.draft())
    var sender = scene.sender
    sender.patience.again = 0.02
    let told = Mutex(0)
    let clock = ContinuousClock()
    let elapsed = try await clock.measure {
      try await PaymentQueue(sender: sender, tell: { _ in told.withLock { $0 += 1 } }).empty()
    }
    #expect(scene.bank.booked.count == 1 && told.withLock { $0 } == 5)
    // 1, 3, 7, 15 and 31 times; five times in all without it.
    #expect(elapsed > .seconds(57 * 0.02), "\(elapsed)")
  }

  @Test func itWaitsNoLongerThanItIsTold() async throws {
    let scene = try Scene()
    scene.bank.meet([MockBank.Outcome](repeating: .notSent, count: 40))
    _ = try await scene.desk.accept(Scene.draft())
    var sender = scene.sender
    sender.patience.again = 0.001
    try await PaymentQueue(sender: sender, longestOffline: 0.01).empty()
    #expect(scene.bank.booked.count == 1)
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
