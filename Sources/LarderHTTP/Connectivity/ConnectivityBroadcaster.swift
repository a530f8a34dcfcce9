import Synchronization

/// The current connectivity state, and the listeners that receive the next ones.
final class ConnectivityBroadcaster: Sendable {
  private struct State {
    var connectivity: ConnectivityState
    var lastID = 0
    var listeners: [Int: AsyncStream<ConnectivityState>.Continuation] = [:]
  }

  private let content: Mutex<State>

  init(_ state: ConnectivityState) { content = Mutex(State(connectivity: state)) }

  deinit { finish() }

  var state: ConnectivityState { content.withLock { $0.connectivity } }

  func update(_ state: ConnectivityState) {
    let listeners = content.withLock { content in
      content.connectivity = state
      return Array(content.listeners.values)
    }
    for listener in listeners { listener.yield(state) }
  }

  /// Sends a state to the current listeners, without keeping it for later ones.
  func broadcast(_ state: ConnectivityState) {
    for listener in content.withLock({ Array($0.listeners.values) }) { listener.yield(state) }
  }

  func states() -> AsyncStream<ConnectivityState> {
    // A slow reader needs only the latest state.
    let (stream, continuation) = AsyncStream<ConnectivityState>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (number, state) = content.withLock { content in
      content.lastID += 1
      content.listeners[content.lastID] = continuation
      return (content.lastID, content.connectivity)
    }
    continuation.onTermination = { [weak self] _ in self?.content.withLock { $0.listeners[number] = nil } }
    continuation.yield(state)
    return stream
  }

  func finish() {
    let listeners = content.withLock { content in
      defer { content.listeners = [:] }
      return Array(content.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
