import LarderSQLite

extension SQLiteStore {
  /// Whether there is a row of the number that an identifier has. False where that cannot be told.
  func hasRow(_ identifier: PersistentIdentifier.ID) -> Bool {
    guard let layout = layouts(named: identifier.identity.entityLevelIdentity.entity).first else { return false }
    let table = StoreFormat.quoted(layout.tableName)
    let sql = "SELECT 1 FROM \(table) WHERE \(StoreFormat.identifierColumn) = ?1"
    // Whoever asks may be reading.
    let isThere = try? database.reentrantRead { connection in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, identifier.key)
        return try statement.step()
      }
    }
    return isThere ?? false
  }
}
