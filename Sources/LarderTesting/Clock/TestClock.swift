internal import Synchronization

/// A clock whose time changes only when a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let task = Task { try await clock.sleep(for: .seconds(60)) }
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// try await task.value
/// ```
///
/// With ``init(advancesAutomatically:)`` each sleep advances the clock to its own deadline, and is recorded in ``sleeps``: sleeping
/// takes no time, and a test sees how long the code would have waited.
public final class TestClock: Clock, Sendable {
  /// A moment of a virtual clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock's beginning.
    public var offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var id: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  /// A caller that waits for a number of sleepers.
  private struct SleeperWaiter {
    var id: Int
    var count: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var sleeperWaiters: [SleeperWaiter] = []
    var cancelled: Set<Int> = []
    var lastID = 0
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())
  private let advancesAutomatically: Bool

  /// Creates a clock at offset zero.
  ///
  /// - Parameter runsByItself: Whether each sleep advances the clock to its deadline.
  public init(advancesAutomatically runsByItself: Bool = false) { self.advancesAutomatically = runsByItself }

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The requested durations of all sleeps, in the order of their beginning.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.sleeps.append(state.now.duration(to: deadline))
      if advancesAutomatically { state.now = max(state.now, deadline) }
      state.lastID += 1
      return state.lastID
    }
    if advancesAutomatically { return await Task.yield() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Decision {
          case done, cancelled
          case waiting([CheckedContinuation<Void, Never>])
        }
        let decision: Decision = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .cancelled }
          if deadline <= state.now { return .done }
          state.sleepers.append(Sleeper(id: number, deadline: deadline, continuation: continuation))
          let count = state.sleepers.count
          let told = state.sleeperWaiters.filter { $0.count <= count }.map(\.continuation)
          state.sleeperWaiters.removeAll { $0.count <= count }
          return .waiting(told)
        }
        switch decision {
        case .done: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .waiting(let watchers): for watcher in watchers { watcher.resume() }
        }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let place = state.sleepers.firstIndex(where: { $0.id == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock, and resumes sleepers whose deadline has passed, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let woken = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until at least `count` tasks sleep, or until the task is cancelled, for example by a test's time limit.
  public func waitForSleepers(_ count: Int) async {
    let number = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSo = state.withLock { state in
          if state.sleepers.count >= count || state.cancelled.remove(number) != nil { return true }
          state.sleeperWaiters.append(SleeperWaiter(id: number, count: count, continuation: continuation))
          return false
        }
        if isSo { continuation.resume() }
      }
    } onCancel: {
      let watcher = state.withLock { state -> SleeperWaiter? in
        guard let place = state.sleeperWaiters.firstIndex(where: { $0.id == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleeperWaiters.remove(at: place)
      }
      watcher?.continuation.resume()
    }
  }
}
