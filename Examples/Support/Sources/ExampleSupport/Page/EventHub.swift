import Foundation
import LarderTesting
import Synchronization

/// The pages that are open, and how to tell them that something has changed.
final class EventHub: Sendable {
  /// What a save did to the store.
  struct Change: Codable, Hashable, Sendable {
    var inserted = 0
    var updated = 0
    var deleted = 0

    var isEmpty: Bool { self == Change() }
  }

  private struct State {
    var writers: [UUID: LoopbackServer.StreamWriter] = [:]
    var sent = 0
  }

  private let state = Mutex(State())

  /// How many events there have been, whether or not a page was open.
  var sent: Int { state.withLock { $0.sent } }

  /// How many pages listen.
  var listeners: Int { state.withLock { $0.writers.count } }

  /// Ends every page's connection; a browser comes back by itself if it can.
  func close() {
    for writer in state.withLock({ Array($0.writers.values) }) { writer.finish() }
  }

  /// Adds a page until it goes.
  func add(_ writer: LoopbackServer.StreamWriter) {
    let identifier = UUID()
    state.withLock { $0.writers[identifier] = writer }
    writer.onClose { [weak self] in
      self?.state.withLock { _ = $0.writers.removeValue(forKey: identifier) }
    }
  }

  /// Tells that a save changed the store.
  func send(_ change: Change) {
    send(
      #"{"inserted":\#(change.inserted),"updated":\#(change.updated),"deleted":\#(change.deleted)}"#, event: "change")
  }

  /// Tells that the status is another.
  func sendStatus() {
    send("{}", event: "status")
  }

  private func send(_ data: String, event: String) {
    let writers = state.withLock { state in
      state.sent += 1
      return Array(state.writers.values)
    }
    for writer in writers { writer.send(data, event: event) }
  }
}
