import Synchronization

/// Ends waits when the network comes back, for all requests of a client.
final class ConnectivityHint: Sendable {
  /// 1 s: a link that flaps a hundred times a second wakes nobody more often than that.
  private static let spacing = Duration.seconds(1)

  private let elapsed: @Sendable () -> Duration
  private let last = Mutex<Duration?>(nil)
  private let wakes = LinkHub(.unknown)
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ monitor: any ConnectivityMonitor, clock: any Clock<Duration>) {
    elapsed = clock.stopwatch()
    let states = monitor.states()
    let listening = Task { [weak self] in
      var isFirst = true
      for await state in states {
        // The first is how things are, and not news.
        if state == .up, !isFirst { self?.wake() }
        isFirst = false
      }
    }
    task.withLock { $0 = listening }
  }

  deinit { task.withLock { $0?.cancel() } }

  private func wake() {
    let now = elapsed()
    let isDue = last.withLock { last in
      if let before = last, now - before < Self.spacing { return false }
      last = now
      return true
    }
    if isDue { wakes.tell(.up) }
  }

  /// Returns when the network comes back, or the task is cancelled.
  func networkReturns() async {
    var isFirst = true
    for await _ in wakes.states() {
      if !isFirst { return }
      isFirst = false
    }
  }
}

extension HTTPEnvironment {
  /// Waits for a time; `hint` may end the part of it that is more than `floor`.
  func wait(for duration: Duration, floor: Duration, hint: ConnectivityHint?) async throws {
    guard let hint else { return try await clock.wait(for: duration) }
    if floor > .zero { try await clock.wait(for: floor) }
    guard duration > floor else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.wait(for: duration - floor) }
      group.addTask { await hint.networkReturns() }
      try await group.next()
      group.cancelAll()
    }
  }
}
