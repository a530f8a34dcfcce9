import Synchronization

/// The present state, and those who are told of the next ones.
final class LinkHub: Sendable {
  private struct State {
    var link: LinkState
    var next = 0
    var listeners: [Int: AsyncStream<LinkState>.Continuation] = [:]
  }

  private let content: Mutex<State>

  init(_ state: LinkState) { content = Mutex(State(link: state)) }

  deinit { end() }

  var state: LinkState { content.withLock { $0.link } }

  func tell(_ state: LinkState) {
    let listeners = content.withLock { content in
      content.link = state
      return Array(content.listeners.values)
    }
    for listener in listeners { listener.yield(state) }
  }

  /// Tells whoever listens now, and nobody who comes later.
  func pulse(_ state: LinkState) {
    for listener in content.withLock({ Array($0.listeners.values) }) { listener.yield(state) }
  }

  func states() -> AsyncStream<LinkState> {
    // Only the latest counts for whoever is slow.
    let (stream, continuation) = AsyncStream<LinkState>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (number, state) = content.withLock { content in
      content.next += 1
      content.listeners[content.next] = continuation
      return (content.next, content.link)
    }
    continuation.onTermination = { [weak self] _ in self?.content.withLock { $0.listeners[number] = nil } }
    continuation.yield(state)
    return stream
  }

  func end() {
    let listeners = content.withLock { content in
      defer { content.listeners = [:] }
      return Array(content.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
