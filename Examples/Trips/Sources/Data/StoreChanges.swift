import SwiftData
import Synchronization

/// What this process saves to a store: how many rows, and when.
final class StoreChanges: Sendable {
  private final class Record: Sendable {
    struct State {
      var written = 0
      var listeners: [UUID: AsyncStream<Void>.Continuation] = [:]
    }

    let state = Mutex(State())

    func note(_ count: Int) {
      let listeners = state.withLock { state in
        state.written += count
        return Array(state.listeners.values)
      }
      for listener in listeners { listener.yield() }
    }
  }

  private let record = Record()
  // A token that is only handed back.
  nonisolated(unsafe) private let observation: any NSObjectProtocol

  /// Listens to the saves of every context of a container.
  init(of container: ModelContainer) {
    observation = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) {
      [record, weak container] notification in
      guard let container, (notification.object as? ModelContext)?.container === container else { return }
      // A save that found every row as it should be names none.
      let keys: [ModelContext.NotificationKey] = [.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers]
      let rows = keys.map { (notification.userInfo?[$0.rawValue] as? [PersistentIdentifier])?.count ?? 0 }
      record.note(rows.reduce(0, +))
    }
  }

  deinit {
    NotificationCenter.default.removeObserver(observation)
    for listener in record.state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  /// How many rows have been inserted, changed and deleted, as the saves themselves told.
  var written: Int { record.state.withLock { $0.written } }

  /// An element for each save from now on, or for several that came before it was asked for.
  var saves: AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    record.state.withLock { $0.listeners[id] = continuation }
    continuation.onTermination = { [record] _ in
      record.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }
}
