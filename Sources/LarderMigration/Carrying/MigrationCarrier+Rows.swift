import LarderData
import LarderSQLite

// The rows of the new tables, out of the former ones.

extension MigrationCarrier {
  func carry(_ mapping: ClassMapping, to table: TableDefinition) throws {
    let fixed = [id, StoreFormat.versionColumn] + handmadeColumns(of: mapping).map(q)
    let columns = fixed.map { ($0, "f.\($0)") } + mapping.source.columns.map { (q($0.name), $0.expression) }
    let range = "f.\(id) >= ?1 AND f.\(id) <= ?2"
    let insert =
      "INSERT INTO \(q(table.name)) (\(columns.map(\.0).joined(separator: ", "))) "
      + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(mapping.rows(range)) ORDER BY f.\(id)"
    let externals = mapping.externals.map { external in
      "INSERT INTO \(q(external.table.name)) (\(ExternalTable.rowColumn), \(ExternalTable.valueColumn)) "
        + "SELECT f.\(id), \(external.expression) FROM \(mapping.rows("\(range) AND (\(external.expression)) IS NOT NULL"))"
    }
    var low = Int64.min
    while let high = try end(of: mapping, from: low) {
      let rows = try run(insert, low, high, mapping.source.values)
      for external in externals { _ = try run(external, low, high, mapping.source.values) }
      try progress.carried(rows)
      if high == .max { break }
      low = high + 1
    }
  }

  /// The last identifier of the next rows; nil where there are none.
  private func end(of mapping: ClassMapping, from low: Int64) throws -> Int64? {
    let sql =
      "SELECT max(\(id)) FROM (SELECT f.\(id) FROM \(mapping.rows("f.\(id) >= ?1")) ORDER BY f.\(id) "
      + "LIMIT \(MigrationCarrier.rowsAtOnce))"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, low)
      return try statement.step() && !statement.isNull(0) ? statement.int64(0) : nil
    }
  }

  private func run(_ sql: String, _ low: Int64, _ high: Int64, _ values: [StoredValue]) throws -> Int64 {
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

  /// The tables of pairs that are made anew, and where their pairs come from.
  func filledLinks(of change: TableChange) -> [(link: LinkTable, pairs: FormerPairs)] {
    (change.definition.relations ?? []).flatMap { relation -> [(link: LinkTable, pairs: FormerPairs)] in
      guard let link = relation.link, relation.isSource == true, !migration.kept.contains(link.name) else { return [] }
      return migration.pairs(of: relation).map { (link, $0) }
    }
  }

  func countPairs(_ pairs: FormerPairs) throws -> Int64 {
    try connection.int64("SELECT count(*) FROM (\(pairs.query))") ?? 0
  }

  func fillLinks(of change: TableChange) throws {
    for (link, pairs) in filledLinks(of: change) {
      let columns =
        [LinkTable.sourceColumn, LinkTable.targetColumn, LinkTable.sourceOrder]
        + (link.isOrderedByTarget ? [LinkTable.targetOrder] : [])
      let values = ["owner", "other", "owner_order"] + (link.isOrderedByTarget ? ["other_order"] : [])
      try connection.execute(
        "INSERT OR IGNORE INTO \(q(link.name)) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs.query))")
      if progress.isWatched { try progress.carried(countPairs(pairs)) }
    }
  }
}
