import LarderSQLite
import LarderSupport

/// An error thrown inside a save's transaction: some row would reference a row that is missing.
struct UnresolvedReferences: Error {}

extension _ContextCore {
  /// Propagates all pending deletions again, for rows that other contexts have related meanwhile.
  func repropagateDeletions() throws {
    for tracker in trackers where !tracker.deletedRows.isEmpty && tracker.isRelated {
      tracker.pendingPropagation = tracker.deletedRows.inOrder()
      relationMarks.beginPropagation()
    }
    relationships.propagationLog.recordsRemoteEffects = true
    defer { relationships.propagationLog.recordsRemoteEffects = false }
    try propagateDeletions()
  }

  /// Returns an error that names a row, of some models, which references a missing row; `nil` if there is no such row.
  func danglingReferenceError(_ trackers: [_EntityTracker], _ connection: Connection) throws -> SaveError? {
    for tracker in trackers {
      for relationship in tracker.layout.noninheritedRelations {
        switch relationship.storage {
        case .foreignKey(let column, _):
          let name = StoreFormat.quoted(tracker.layout.columns[column].name)
          let found = try firstDanglingPair(
            "SELECT \(StoreFormat.identifierColumn), \(name) FROM \(tracker.statements.table)", name, relationship,
            connection
          )
          if let found {
            return try makeDanglingReferenceError(tracker, relationship, row: found.row, other: found.other)
          }
        case .joinTable(let table, let isSource):
          let (own, other) =
            isSource
            ? (JoinTable.sourceColumn, JoinTable.targetColumn) : (JoinTable.targetColumn, JoinTable.sourceColumn)
          let found = try firstDanglingPair(
            "SELECT \(own), \(other) FROM \(StoreFormat.quoted(table.name))", other, relationship, connection)
          if let found {
            return try makeDanglingReferenceError(tracker, relationship, row: found.row, other: found.other)
          }
        case .inverse: continue
        }
      }
    }
    return nil
  }

  private func firstDanglingPair(
    _ sql: String, _ key: String, _ relationship: RelationshipLayout, _ connection: Connection
  ) throws -> (row: Int64, other: Int64)? {
    let table = StoreFormat.quoted(relationship.destinationLayout.tableName)
    let condition =
      " WHERE \(key) IS NOT NULL AND \(key) NOT IN (SELECT \(StoreFormat.identifierColumn) FROM \(table)) LIMIT 1"
    return try connection.withStatement(for: sql + condition) { statement in
      return try statement.step() ? (statement.int64(0), statement.int64(1)) : nil
    }
  }

  private func makeDanglingReferenceError(
    _ tracker: _EntityTracker, _ relationship: RelationshipLayout, row: Int64, other: Int64
  ) throws -> SaveError {
    let there = try self.tracker(for: relationship.destinationLayout)
    let what = "\(tracker.layout.entityName) \(row)"
    let target = "\(there.layout.entityName) \(other)"
    let reason =
      there.isDeleted(other)
      ? "\(target), which is to be deleted and was given to it elsewhere meanwhile. Save again, or roll back"
      : "\(target), which was deleted elsewhere. Let it refer to another, or roll back"
    return SaveError(
      .referencedRowDeleted, entityName: tracker.layout.entityName, properties: [relationship.name],
      identifiers: [
        PersistentIdentifier(identity: tracker.identity, key: row, isSaved: true),
        PersistentIdentifier(identity: there.identity, key: other, isSaved: true),
      ],
      "\(what) would refer by \(relationship.name) to \(reason). Nothing was written.")
  }
}
