import SwiftData
import Synchronization

/// How many rows this process saves to a store.
final class StoreChanges: Sendable {
  private final class Record: Sendable {
    let written = Mutex(0)
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
      record.written.withLock { $0 += rows.reduce(0, +) }
    }
  }

  deinit {
    NotificationCenter.default.removeObserver(observation)
  }

  /// How many rows have been inserted, changed and deleted, as the saves themselves told.
  var written: Int { record.written.withLock { $0 } }
}
