import Foundation

/// A deletion by predicate that a data store may perform by itself.
struct BatchDeletion {
  private let rows: Set<Int64>
  private let session: StoreSession
  private let request: (DataStoreBackend, EditingState) throws -> Void

  /// - Parameter rows: The rows that the deletion marked as deleted.
  init<Model: PersistentModel>(
    _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool, rows: Set<Int64>,
    in session: StoreSession
  ) {
    self.rows = rows
    self.session = session
    request = { backing, state in
      try backing.delete(
        DataStoreBatchDeleteRequest<Model>(
          editingState: state, predicate: predicate, includeSubclasses: includeSubclasses))
    }
  }

  /// Returns whether a save changes nothing else in the deletion's store.
  func coversAll(of deleted: [_EntityTracker], in core: _ContextCore) -> Bool {
    guard let first = deleted.first, first.session === session else { return false }
    var count = 0
    for tracker in core.trackers where tracker.session === session {
      guard tracker.inserted.isEmpty, tracker.changed.isEmpty, rows.isSuperset(of: tracker.deletedRows) else {
        return false
      }
      count += tracker.deletedRows.count
    }
    return count == rows.count
  }

  func perform(on backing: DataStoreBackend, _ state: EditingState) throws { try request(backing, state) }
}
