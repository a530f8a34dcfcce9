import LarderSQLite

extension Connection {
  /// Increments the version of a row of which only the join table changes.
  func incrementVersion(of row: Int64, in table: String) throws {
    let version = StoreFormat.versionColumn
    try withStatement(
      for: "UPDATE \(table) SET \(version) = \(version) + 1 WHERE \(StoreFormat.identifierColumn) = ?1"
    ) { statement in
      statement.bind(1, row)
      try statement.run()
    }
  }
}
