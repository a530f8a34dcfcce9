import LarderSQLite

extension SQLiteStore {
  /// Returns whether a row has the row ID of an identifier. Returns `false` if that is unknown.
  func hasRow(_ identifier: PersistentIdentifier.ID) -> Bool {
    guard let layout = layouts(named: identifier.identity.entityLevelIdentity.entity).first else { return false }
    let table = StoreFormat.quoted(layout.tableName)
    let sql = "SELECT 1 FROM \(table) WHERE \(StoreFormat.identifierColumn) = ?1"
    // The caller may be in a read.
    let isThere = try? database.reentrantRead { connection in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, identifier.key)
        return try statement.step()
      }
    }
    return isThere ?? false
  }
}
