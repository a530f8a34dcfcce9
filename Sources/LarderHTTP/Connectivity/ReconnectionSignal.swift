import Synchronization

/// A signal to all requests of a client that ends their waits when the network comes back.
final class ReconnectionSignal: Sendable {
  /// 1 s: a link that flaps a hundred times a second ends waits no more often, nor sooner after an attempt.
  static let minimumInterval = Duration.seconds(1)

  private struct State {
    var connectivity = ConnectivityState.unknown
    var lastSignal: Duration?
    /// Waits until a change that came too soon may be signalled.
    var delayedSignal: Task<Void, Never>?
    var observation: Task<Void, Never>?
  }

  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let content = Mutex(State())
  private let signals = ConnectivityBroadcaster(.unknown)

  init(_ monitor: any ConnectivityMonitor, clock: any Clock<Duration>) {
    self.clock = clock
    elapsed = clock.makeStopwatch()
    let states = monitor.states()
    let listening = Task { [weak self] in
      var isFirst = true
      for await state in states {
        // The first state is the initial one, and no change.
        self?.update(state, isChange: !isFirst)
        isFirst = false
      }
    }
    content.withLock { $0.observation = listening }
  }

  deinit {
    content.withLock { content in
      content.observation?.cancel()
      content.delayedSignal?.cancel()
    }
  }

  private func update(_ link: ConnectivityState, isChange isNews: Bool) {
    let now = elapsed()
    let isDue = content.withLock { content in
      content.connectivity = link
      guard link == .up, isNews, content.delayedSignal == nil else { return false }
      guard let last = content.lastSignal, now - last < Self.minimumInterval else {
        content.lastSignal = now
        return true
      }
      // Delayed and not dropped: the last of many changes counts, and none may follow it.
      let wait = Self.minimumInterval - (now - last)
      content.delayedSignal = Task { [weak self, clock] in
        guard (try? await clock.wait(for: wait)) != nil else { return }
        self?.sendDelayedSignal()
      }
      return false
    }
    if isDue { signals.broadcast(.up) }
  }

  private func sendDelayedSignal() {
    let now = elapsed()
    let isUp = content.withLock { content in
      content.delayedSignal = nil
      guard content.connectivity == .up else { return false }
      content.lastSignal = now
      return true
    }
    if isUp { signals.broadcast(.up) }
  }

  /// Returns a stream that yields "up" each time the network comes back from now on.
  func reconnections() -> AsyncStream<ConnectivityState> { signals.states() }
}

extension HTTPDependencies {
  /// Waits for a time; the signal may end the part of the wait beyond the floor and beyond the minimum interval.
  func wait(for duration: Duration, floor: Duration, signal hint: ReconnectionSignal?) async throws {
    guard let hint else { return try await clock.wait(for: duration) }
    if floor > .zero { try await clock.wait(for: floor) }
    guard duration > floor else { return }
    // Subscribed from here on: a network that comes back within the interval counts.
    let returns = hint.reconnections()
    let least = max(.zero, ReconnectionSignal.minimumInterval - floor)
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
