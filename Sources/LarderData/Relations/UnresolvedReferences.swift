import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction: some row would refer to one that is not there.
struct UnresolvedReferences: Error {}

extension ContextCore {
  /// Carries all pending deletions to related rows once more, for those that others have related meanwhile.
  func spreadDeletionsAgain() throws {
    for state in known where !state.deletedRows.isEmpty && state.isRelated {
      state.unspread = state.deletedRows.inOrder()
      relationMarks.deletionBegan()
    }
    relations.consequences.isOfOthers = true
    defer { relations.consequences.isOfOthers = false }
    try spreadDeletions()
  }

  /// Says which row of some models refers to one that is not there; nil where it is none of theirs.
  func vanishedReference(_ states: [EntityState], _ connection: Connection) throws -> SaveError? {
    for state in states {
      for relation in state.layout.ownRelations {
        switch relation.form {
        case .key(let column, _):
          let name = StoreFormat.quoted(state.layout.columns[column].name)
          let found = try pair(
            "SELECT \(StoreFormat.identifierColumn), \(name) FROM \(state.statements.table)", name, relation, connection
          )
          if let found { return try vanished(state, relation, row: found.row, other: found.other) }
        case .link(let table, let isSource):
          let (own, other) =
            isSource
            ? (LinkTable.sourceColumn, LinkTable.targetColumn) : (LinkTable.targetColumn, LinkTable.sourceColumn)
          let found = try pair(
            "SELECT \(own), \(other) FROM \(StoreFormat.quoted(table.name))", other, relation, connection)
          if let found { return try vanished(state, relation, row: found.row, other: found.other) }
        case .mirror: continue
        }
      }
    }
    return nil
  }

  private func pair(
    _ sql: String, _ key: String, _ relation: RelationLayout, _ connection: Connection
  ) throws -> (row: Int64, other: Int64)? {
    let table = StoreFormat.quoted(relation.destinationLayout.tableName)
    let condition =
      " WHERE \(key) IS NOT NULL AND \(key) NOT IN (SELECT \(StoreFormat.identifierColumn) FROM \(table)) LIMIT 1"
    return try connection.withStatement(for: sql + condition) { statement in
      return try statement.step() ? (statement.int64(0), statement.int64(1)) : nil
    }
  }

  private func vanished(
    _ state: EntityState, _ relation: RelationLayout, row: Int64, other: Int64
  ) throws -> SaveError {
    let there = try self.state(for: relation.destinationLayout)
    let what = "\(state.layout.entityName) \(row)"
    let target = "\(there.layout.entityName) \(other)"
    let reason =
      there.isDeleted(other)
      ? "\(target), which is to be deleted and was given to it elsewhere meanwhile. Save again, or roll back"
      : "\(target), which was deleted elsewhere. Let it refer to another, or roll back"
    return SaveError(
      .vanishedReference, entityName: state.layout.entityName, properties: [relation.name],
      identifiers: [
        PersistentIdentifier(identity: state.identity, key: row, isSaved: true),
        PersistentIdentifier(identity: there.identity, key: other, isSaved: true),
      ],
      "\(what) would refer by \(relation.name) to \(reason). Nothing was written.")
  }
}
