import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction: others have led rows to what rows of the save lead to as well, by a relationship of one
/// to one, after the context had taken over what there was.
// @unchecked: thrown and caught on one thread.
struct OneToOneConflict: Error, @unchecked Sendable {
  let tracker: _EntityTracker
  let rows: [Int64]
  /// How often a save is tried before it is written as it is: a store that was written by other programs may have such rows
  /// whatever is done.
  static let maximumAttempts = 10
}

extension _ContextCore {
  /// Has what others have written meanwhile told again, so that one of the two loses what both lead to.
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
  /// The rows that lead to what rows of the save have been led to, and are none of it.
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
        // Nobody else has led anything to what is new; what became a row that is there has been seen to by UpsertedOneToOneResolver.
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
