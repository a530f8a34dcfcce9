import LarderData
import LarderSQLite

// Copying rows from the former tables to the new ones.

extension MigrationExecutor {
  func copyRows(_ mapping: EntityMapping, to table: TableDefinition) throws {
    let fixed = [identifierColumn, StoreFormat.versionColumn] + userColumns(of: mapping).map(quoted)
    let columns = fixed.map { ($0, "f.\($0)") } + mapping.source.columns.map { (quoted($0.name), $0.expression) }
    let range = "f.\(identifierColumn) >= ?1 AND f.\(identifierColumn) <= ?2"
    let insert =
      "INSERT INTO \(quoted(table.name)) (\(columns.map(\.0).joined(separator: ", "))) "
      + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(mapping.rows(range)) ORDER BY f.\(identifierColumn)"
    let externals = mapping.externals.map { external in
      "INSERT INTO \(quoted(external.table.name)) (\(ExternalTable.rowColumn), \(ExternalTable.valueColumn)) "
        + "SELECT f.\(identifierColumn), \(external.expression) FROM \(mapping.rows("\(range) AND (\(external.expression)) IS NOT NULL"))"
    }
    var low = Int64.min
    while let high = try lastRowID(of: mapping, from: low) {
      let rows = try copyRange(insert, low, high, mapping.source.values)
      for external in externals { _ = try copyRange(external, low, high, mapping.source.values) }
      try progress.recordMigratedRows(rows)
      if high == .max { break }
      low = high + 1
    }
  }

  /// Returns the last row ID of the next chunk, or `nil` if there are no more rows.
  private func lastRowID(of mapping: EntityMapping, from low: Int64) throws -> Int64? {
    let sql =
      "SELECT max(\(identifierColumn)) FROM (SELECT f.\(identifierColumn) FROM \(mapping.rows("f.\(identifierColumn) >= ?1")) ORDER BY f.\(identifierColumn) "
      + "LIMIT \(MigrationExecutor.chunkSize))"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, low)
      return try statement.step() && !statement.isNull(0) ? statement.int64(0) : nil
    }
  }

  private func copyRange(_ sql: String, _ low: Int64, _ high: Int64, _ values: [_StoredValue]) throws -> Int64 {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, low)
      statement.bind(2, high)
      for (place, value) in values.enumerated() where sql.contains("?\(place + RowExpressions.firstValue)") {
        statement.bind(Int32(place + RowExpressions.firstValue), value)
      }
      try statement.run()
      return connection.changes
    }
  }

  /// Returns the new join tables, and the source of their pairs.
  func populatedJoinTables(of change: TableChange) -> [(joinTable: JoinTable, pairs: StoredRelationshipPairs)] {
    (change.definition.relationships ?? []).flatMap {
      relationship -> [(joinTable: JoinTable, pairs: StoredRelationshipPairs)] in
      guard let joinTable = relationship.joinTable, relationship.isSource == true,
        !migration.retainedTables.contains(joinTable.name)
      else { return [] }
      return migration.pairs(of: relationship).map { (joinTable, $0) }
    }
  }

  func countPairs(_ pairs: StoredRelationshipPairs) throws -> Int64 {
    try connection.int64("SELECT count(*) FROM (\(pairs.query))") ?? 0
  }

  func populateJoinTables(of change: TableChange) throws {
    for (joinTable, pairs) in populatedJoinTables(of: change) {
      let columns =
        [JoinTable.sourceColumn, JoinTable.targetColumn, JoinTable.sourceOrderColumn]
        + (joinTable.isOrderedByTarget ? [JoinTable.targetOrderColumn] : [])
      let values = ["owner", "other", "owner_order"] + (joinTable.isOrderedByTarget ? ["other_order"] : [])
      try connection.execute(
        "INSERT OR IGNORE INTO \(quoted(joinTable.name)) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs.query))")
      if progress.isObserved { try progress.recordMigratedRows(countPairs(pairs)) }
    }
  }
}
