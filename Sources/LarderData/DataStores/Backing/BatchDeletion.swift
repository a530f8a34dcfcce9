import Foundation

/// A deletion by predicate that a store may carry out by itself.
struct BatchDeletion {
  private let rows: Set<Int64>
  private let session: StoreSession
  private let perform: (StoreBacking, EditingState) throws -> Void

  /// - Parameter rows: What it marked as deleted.
  init<Model: PersistentModel>(
    _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool, rows: Set<Int64>,
    in session: StoreSession
  ) {
    self.rows = rows
    self.session = session
    perform = { backing, state in
      try backing.delete(
        DataStoreBatchDeleteRequest<Model>(
          editingState: state, predicate: predicate, includeSubclasses: includeSubclasses))
    }
  }

  /// Whether a save consists of nothing else, as far as its store is concerned.
  func isAll(of deleted: [EntityState], in core: ContextCore) -> Bool {
    guard let first = deleted.first, first.session === session else { return false }
    var count = 0
    for state in core.known where state.session === session {
      guard state.inserted.isEmpty, state.changed.isEmpty, rows.isSuperset(of: state.deletedRows) else { return false }
      count += state.deletedRows.count
    }
    return count == rows.count
  }

  func carryOut(by backing: StoreBacking, _ state: EditingState) throws { try perform(backing, state) }
}
