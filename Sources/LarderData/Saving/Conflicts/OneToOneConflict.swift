import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction if another context has made rows reference a row that rows of the save reference as
/// well, by a one-to-one relationship, after the context had merged the earlier commits.
// @unchecked: thrown and caught on one thread.
struct OneToOneConflict: Error, @unchecked Sendable {
  let tracker: _EntityTracker
  let rows: [Int64]
  /// The maximum number of attempts before the save is written as it is: a store that other programs have written may keep
  /// such rows in any case.
  static let maximumAttempts = 10
}

extension _ContextCore {
  /// Enqueues the conflicting rows as remote changes and merges them, so that only one row keeps its reference.
  func resolveConflict(_ rivals: OneToOneConflict) {
    var entity = ChangeSet.Entity(layout: rivals.tracker.layout, identity: rivals.tracker.identity)
    entity.updated = rivals.rows.map { ChangeSet.Update(row: $0, mask: ~0) }
    remoteChanges.enqueue(ChangeSet(entities: [entity]))
    mergeRemoteChanges()
  }

  /// - Throws: ``OneToOneConflict``.
  func checkOneToOneConflicts(of entityWriters: [EntityWriter], on connection: Connection) throws {
    for entityWriter in entityWriters where entityWriter.tracker.layout.hasRelations {
      for relationship in entityWriter.tracker.layout.relationships where !relationship.isToMany {
        guard case .foreignKey(let column, _) = relationship.storage, relationship.inverse?.isToMany == false else {
          continue
        }
        let there = try tracker(for: relationship.destinationLayout)
        let rows = try entityWriter.conflictingRows(by: relationship, column, there, connection)
        if !rows.isEmpty { throw OneToOneConflict(tracker: entityWriter.tracker.root, rows: rows) }
      }
    }
  }
}

extension EntityWriter {
  /// Returns the rows outside of the save that reference the same row as rows of the save.
  fileprivate func conflictingRows(
    by relationship: RelationshipLayout, _ column: Int, _ there: _EntityTracker, _ connection: Connection
  ) throws -> [Int64] {
    var rivals: [Int64] = []
    let (id, key) = (StoreFormat.identifierColumn, StoreFormat.quoted(tracker.layout.columns[column].name))
    let sql = "SELECT \(id) FROM \(tracker.statements.table) WHERE \(key) = ?1 AND \(id) <> ?2"
    let select = try connection.statement(for: sql)
    defer { select.checkIn() }
    for object in tracker.changed + tracker.inserted {
      let owner = tracker.erased(object)
      let own = self.row(of: owner)
      guard relationship.isEdited(of: owner),
        case let row = owner._$foreignKey(relationship.property), row > 0, nullifiedKeys[own] == nil,
        // Only this context references an inserted object; UpsertedOneToOneResolver has handled inserts resolved to existing rows.
        there.find(row).map({ !there.erased($0)._$header.pointee.status.contains(.inserted) }) ?? true
      else { continue }
      select.bind(1, row)
      select.bind(2, own)
      defer { select.reset() }
      while try select.step() { rivals.append(select.int64(0)) }
    }
    return rivals
  }
}
