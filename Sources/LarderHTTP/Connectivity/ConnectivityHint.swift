import Synchronization

/// Ends waits when the network comes back, for all requests of a client.
final class ConnectivityHint: Sendable {
  /// 1 s: a link that flaps a hundred times a second wakes nobody more often than that, nor sooner after an attempt.
  static let spacing = Duration.seconds(1)

  private struct State {
    var link = LinkState.unknown
    var last: Duration?
    /// Waits for the time at which what came too soon is told.
    var late: Task<Void, Never>?
    var listening: Task<Void, Never>?
  }

  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let content = Mutex(State())
  private let wakes = LinkHub(.unknown)

  init(_ monitor: any ConnectivityMonitor, clock: any Clock<Duration>) {
    self.clock = clock
    elapsed = clock.stopwatch()
    let states = monitor.states()
    let listening = Task { [weak self] in
      var isFirst = true
      for await state in states {
        // The first is how things are, and not news.
        self?.note(state, isNews: !isFirst)
        isFirst = false
      }
    }
    content.withLock { $0.listening = listening }
  }

  deinit {
    content.withLock { content in
      content.listening?.cancel()
      content.late?.cancel()
    }
  }

  private func note(_ link: LinkState, isNews: Bool) {
    let now = elapsed()
    let isDue = content.withLock { content in
      content.link = link
      guard link == .up, isNews, content.late == nil else { return false }
      guard let last = content.last, now - last < Self.spacing else {
        content.last = now
        return true
      }
      // Not dropped: of many changes the last is the one that counts, and nothing may follow it.
      let wait = Self.spacing - (now - last)
      content.late = Task { [weak self, clock] in
        guard (try? await clock.wait(for: wait)) != nil else { return }
        self?.tellLate()
      }
      return false
    }
    if isDue { wakes.pulse(.up) }
  }

  private func tellLate() {
    let now = elapsed()
    let isUp = content.withLock { content in
      content.late = nil
      guard content.link == .up else { return false }
      content.last = now
      return true
    }
    if isUp { wakes.pulse(.up) }
  }

  /// Has an "up" in it each time the network comes back from now on.
  func returns() -> AsyncStream<LinkState> { wakes.states() }
}

extension HTTPEnvironment {
  /// Waits for a time; `hint` may end the part of it that is more than `floor`, and than its spacing.
  func wait(for duration: Duration, floor: Duration, hint: ConnectivityHint?) async throws {
    guard let hint else { return try await clock.wait(for: duration) }
    if floor > .zero { try await clock.wait(for: floor) }
    guard duration > floor else { return }
    // From here on: what comes back within the spacing has come back.
    let returns = hint.returns()
    let least = max(.zero, ConnectivityHint.spacing - floor)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.wait(for: duration - floor) }
      group.addTask {
        if least > .zero { try await clock.wait(for: least) }
        for await state in returns where state == .up { return }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
