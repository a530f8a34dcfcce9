import LarderData
import LarderSQLite

/// Finds rows that would violate a uniqueness constraint, among the rows as a migration would write them.
struct CollisionSearch {
  private let migration: StoreMigration
  private let change: TableChange
  private let mappings: [EntityMapping]
  private let connection: Connection
  private let quoted = StoreFormat.quoted
  private let identifierColumn = StoreFormat.identifierColumn

  /// The maximum number of values that are reported with an example, and of rows for each.
  private static let maximumExamples = 8

  init(
    _ migration: StoreMigration, _ change: TableChange, _ mappings: [EntityMapping], _ connection: Connection
  ) {
    self.migration = migration
    self.change = change
    self.mappings = mappings
    self.connection = connection
  }

  func find() throws -> [MigrationForecast.Collision] {
    try change.definition.unique.compactMap { group in
      let constant = constant(in: group)
      switch change.kind {
      case .created, .redescribed: return nil
      case .reindexed(let former):
        if former.unique.contains(group) { return nil }
        return try search(group, among: group, "SELECT * FROM \(quoted(change.definition.name))")
      case .rebuilt:
        let varying = group.filter { !constant.contains($0) }
        // New optional columns are NULL, and NULLs are never equal.
        if varying.contains(where: isAlwaysNull) || !varying.allSatisfy(hasExpression) { return nil }
        return try search(group, among: varying, source(varying))
      }
    }
  }

  /// Returns the columns that are new and must have a value: all rows get the same one, from the declaration.
  private func constant(in group: [String]) -> Set<String> {
    Set(group.filter { column in isNew(column) && !isOptional(column) })
  }

  /// Whether there is a value to compare; there is none if the old value cannot be converted.
  private func hasExpression(_ column: String) -> Bool {
    mappings.allSatisfy { $0.source.columns.contains { $0.name == column } }
  }

  private func isAlwaysNull(_ column: String) -> Bool { isNew(column) && isOptional(column) }

  private func isOptional(_ column: String) -> Bool {
    change.definition.columns.first { $0.name == column }?.isOptional ?? true
  }

  private func isNew(_ column: String) -> Bool {
    guard let property = change.definition.columns.first(where: { $0.name == column })?.property else { return true }
    return mappings.allSatisfy { mapping in
      migration.matches[mapping.name]?[property] == nil && !mapping.hasPairs(of: property)
    }
  }

  private func source(_ columns: [String]) -> String {
    mappings.map { mapping in
      let values = columns.map { column in
        let expression = mapping.source.columns.first { $0.name == column }?.expression ?? "NULL"
        return "\(expression) AS \(quoted(column))"
      }
      return
        "SELECT \((["f.\(identifierColumn) AS \(identifierColumn)"] + values).joined(separator: ", ")) FROM \(mapping.rows(nil))"
    }.joined(separator: " UNION ALL ")
  }

  private func search(
    _ group: [String], among columns: [String], _ source: String
  ) throws -> MigrationForecast.Collision? {
    let present = columns.isEmpty ? "1" : columns.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    let keys = columns.isEmpty ? "1 + 0" : columns.map(quoted).joined(separator: ", ")
    let groups =
      "SELECT count(*) AS rows, min(\(identifierColumn)) AS first FROM (\(source)) WHERE \(present) GROUP BY \(keys) HAVING count(*) > 1"
    let (values, rows) =
      try query("SELECT count(*), coalesce(sum(rows), 0) FROM (\(groups))") { ($0.int64(0), $0.int64(1)) }
      .first ?? (0, 0)
    if values == 0 { return nil }
    let firsts = try query("SELECT rows, first FROM (\(groups)) ORDER BY first LIMIT \(Self.maximumExamples)") {
      ($0.int64(0), $0.int64(1))
    }
    let examples = try firsts.map { rows, first -> MigrationForecast.Collision.Group in
      let same =
        columns.isEmpty
        ? "1"
        : columns.map { "a.\(quoted($0)) = b.\(quoted($0))" }.joined(separator: " AND ")
      let sql =
        "SELECT a.\(identifierColumn) FROM (\(source)) AS a, (\(source)) AS b WHERE b.\(identifierColumn) = \(first) AND \(same) "
        + "ORDER BY a.\(identifierColumn) LIMIT \(Self.maximumExamples)"
      return .init(rows: rows, identifiers: try query(sql) { $0.int64(0) })
    }
    return .init(columns: group, values: values, rows: rows, examples: examples)
  }

  private func query<Value>(_ sql: String, _ read: (borrowing Statement) -> Value) throws -> [Value] {
    try connection.withStatement(for: sql) { statement in
      // The values that a schema gives to new columns are NULL, and "absent" for optional structs.
      let highest = mappings.map(\.source.values.count).max() ?? 0
      for place in 0..<highest where sql.contains("?\(place + RowExpressions.firstValue)") {
        statement.bind(Int32(place + RowExpressions.firstValue), .integer(0))
      }
      var values: [Value] = []
      while try statement.step() { values.append(read(statement)) }
      return values
    }
  }
}
