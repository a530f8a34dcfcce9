import LarderTesting
import Synchronization
import Testing

/// What was woken, in its order.
private final class Woken: Sendable {
  private let seconds = Mutex<[Int]>([])
  func add(_ number: Int) { seconds.withLock { $0.append(number) } }
  var all: [Int] { seconds.withLock { $0 } }
}

@Suite struct VirtualClockTests {
  @Test func whoeverSleepsIsWokenInOrder() async throws {
    let clock = TestClock()
    let woken = Woken()
    let tasks = [30, 10, 20].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.add(seconds)
      }
    }
    await clock.waitForSleepers(3)
    clock.advance(by: .seconds(9))
    #expect(woken.all.isEmpty)
    for _ in 0..<3 {
      let before = woken.all.count
      clock.advance(by: .seconds(10))
      while woken.all.count == before { await Task.yield() }
    }
    for task in tasks { try await task.value }
    #expect(woken.all == [10, 20, 30])
    #expect(clock.now.offset == .seconds(39))
  }

  /// A test whose time is up does not wait for sleepers that never come.
  @Test(.timeLimit(.minutes(1))) func whoWaitsForSleepersCanBeCancelled() async throws {
    let clock = TestClock()
    let task = Task { await clock.waitForSleepers(2) }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.waitForSleepers(2)
    }
    await cancelled.value
    task.cancel()
    await task.value
    // Others are waited for as before.
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    try await sleeper.value
  }

  @Test func aSleepThatIsCancelledEnds() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Neither does one begin in a task that was cancelled before.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(10))
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func aClockThatRunsByItself() async throws {
    let clock = TestClock(advancesAutomatically: true)
    try await clock.sleep(for: .seconds(3_600))
    try await clock.sleep(for: .seconds(60))
    #expect(clock.now.offset == .seconds(3_660))
    #expect(clock.sleeps == [.seconds(3_600), .seconds(60)])
  }
}
