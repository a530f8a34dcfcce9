internal import Foundation
public import LarderTesting
internal import Synchronization

/// The pages that are open, and how to tell them that something has changed.
public final class EventHub: Sendable {
  private struct State {
    var writers: [UUID: LoopbackServer.StreamWriter] = [:]
    var sent = 0
  }

  private let state = Mutex(State())

  /// Nobody listens yet.
  public init() {}

  /// How many events there have been, whether or not a page was open.
  public var sent: Int { state.withLock { $0.sent } }

  /// How many pages listen.
  public var listeners: Int { state.withLock { $0.writers.count } }

  /// Ends every page's connection; a browser comes back by itself if it can.
  public func close() {
    for writer in state.withLock({ Array($0.writers.values) }) { writer.finish() }
  }

  /// Adds a page until it goes, and tells it how many events there have been: there may be some since it was drawn.
  public func add(_ writer: LoopbackServer.StreamWriter) {
    let identifier = UUID()
    let sent = state.withLock { state in
      state.writers[identifier] = writer
      return state.sent
    }
    writer.send("\(sent)", event: "begun")
    writer.onClose { [weak self] in
      self?.state.withLock { _ = $0.writers.removeValue(forKey: identifier) }
    }
  }

  /// Tells every page.
  ///
  /// - Parameters:
  ///   - event: The event's type, by which the page's script knows it.
  ///   - data: What there is to say of it, as JSON.
  public func send(_ event: String, data: String = "{}") {
    let writers = state.withLock { state in
      state.sent += 1
      return Array(state.writers.values)
    }
    for writer in writers { writer.send(data, event: event) }
  }
}
