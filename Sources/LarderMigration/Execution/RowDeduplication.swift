import LarderData
import LarderSQLite

/// Finds and merges rows that violate a new uniqueness constraint.
struct RowDeduplication {
  private let executor: MigrationExecutor
  private let table: TableDefinition
  /// The change of the table; `nil` if the table is unchanged.
  private let change: TableChange?
  private let quoted = StoreFormat.quoted
  private let identifierColumn = StoreFormat.identifierColumn

  init(_ carrier: MigrationExecutor, _ table: TableDefinition) {
    self.executor = carrier
    self.table = table
    change = carrier.migration.changes.first { $0.definition.name == table.name }
  }

  private var connection: Connection { executor.connection }
  private var isNewTable: Bool { if case .created? = change?.kind { true } else { false } }

  /// Returns the groups of columns that have duplicate values.
  func duplicateGroups() throws -> Set<[String]> {
    if isNewTable { return [] }
    return Set(try table.unique.filter { try count($0) > 0 })
  }

  /// Merges duplicates, or throws an error that lists them.
  ///
  /// - Parameter uniting: Receives the tables that may have further duplicates as a result.
  /// - Returns: Whether there were duplicates.
  func deduplicate(_ uniting: inout DeduplicationQueue) throws -> Bool {
    if isNewTable { return false }
    return try table.unique.reduce(false) { try deduplicate($1, &uniting) || $0 }
  }

  private func duplicatesClause(_ group: [String]) -> String {
    "FROM \(quoted(table.name)) WHERE \(notNullCondition(group)) GROUP BY \(columns(group)) HAVING count(*) > 1"
  }
  private func columns(_ group: [String]) -> String { group.map(quoted).joined(separator: ", ") }
  private func notNullCondition(_ group: [String]) -> String {
    group.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
  }

  private func count(_ group: [String]) throws -> Int64 {
    try connection.int64("SELECT count(*) FROM (SELECT 1 \(duplicatesClause(group)))") ?? 0
  }

  private func deduplicate(_ group: [String], _ uniting: inout DeduplicationQueue) throws -> Bool {
    let count = try count(group)
    guard count > 0 else { return false }
    let isNew = isNew(group)
    let hasClasses = try spansClasses(group)
    switch executor.options.duplicates {
    // A column without values yet does not show that two rows are the same; and an object cannot become one of another
    // class.
    case _ where isNew || hasClasses, .refuse:
      throw StoreError.duplicates(
        executor.url, table, group, count, try examples(columns(group), duplicatesClause(group)))
    case .keepFirst: try removeDuplicates(columns(group), notNullCondition(group), keeping: "min", &uniting)
    case .keepLast: try removeDuplicates(columns(group), notNullCondition(group), keeping: "max", &uniting)
    }
    return true
  }

  /// Whether all columns of the constraint are new, so that every row has the same values.
  private func isNew(_ group: [String]) -> Bool {
    guard change?.isRebuilt == true, !executor.migration.matches.leavesRestToStage else { return false }
    let names = Set(table.columns.filter { group.contains($0.name) }.map(\.property))
    return table.classNames.allSatisfy { name in
      executor.migration.matches[name]?.properties.allSatisfy { !names.contains($0.current.name) || $0.original == nil }
        ?? true
    }
  }

  private func spansClasses(_ group: [String]) throws -> Bool {
    guard table.classes != nil else { return false }
    let sql =
      "SELECT count(*) FROM (SELECT 1 \(duplicatesClause(group)) AND count(DISTINCT \(StoreFormat.classColumn)) > 1)"
    return try connection.int64(sql) ?? 0 > 0
  }

  /// Throws if the redirection has given a one-to-one relationship more than one object.
  static func checkOneToOnes(_ carrier: MigrationExecutor) throws {
    if carrier.options.duplicates == .refuse { return }
    let tables = carrier.migration.tables
    for table in tables {
      for relationship in table.relationships ?? [] {
        guard let column = relationship.column, let inverse = relationship.inverse,
          tables.contains(where: { other in
            other.relationships?.contains {
              $0.ofClass == relationship.destination && $0.name == inverse && !$0.isToMany
            }
              == true
          })
        else { continue }
        let key = StoreFormat.quoted(column)
        let sql =
          "SELECT count(*) FROM (SELECT 1 FROM \(StoreFormat.quoted(table.name)) WHERE \(key) IS NOT NULL "
          + "GROUP BY \(key) HAVING count(*) > 1)"
        guard let count = try carrier.connection.int64(sql), count > 0 else { continue }
        throw StoreError.notMigratable(
          carrier.url,
          ["\(relationship.destination).\(inverse) is a to-one, and of united rows some would have several (\(count))"])
      }
    }
  }

  private func examples(_ columns: String, _ keys: String) throws -> [String] {
    try connection.withStatement(for: "SELECT \(columns) \(keys) ORDER BY 1 LIMIT \(StoreError.maximumListedProblems)")
    {
      statement in
      var result: [String] = []
      while try statement.step() {
        let values = (0..<statement.columnCount).map { _StoredValue(column: $0, of: statement.handle).description }
        result.append(values.joined(separator: ", "))
      }
      return result
    }
  }

  private static let mergeTable = "\(StoreFormat.prefix)united"

  private func removeDuplicates(
    _ columns: String, _ present: String, keeping kept: String, _ uniting: inout DeduplicationQueue
  ) throws {
    let united = RowDeduplication.mergeTable
    try connection.execute("DROP TABLE IF EXISTS \(united)")
    try connection.execute("CREATE TABLE \(united) (gone INTEGER PRIMARY KEY, kept INTEGER NOT NULL) STRICT")
    try connection.execute(
      "INSERT INTO \(united) SELECT \(identifierColumn), kept FROM (SELECT \(identifierColumn), \(kept)(\(identifierColumn)) OVER (PARTITION BY \(columns)) AS kept "
        + "FROM \(quoted(table.name)) WHERE \(present)) WHERE \(identifierColumn) <> kept")
    for other in executor.migration.tables { try redirectReferences(other, &uniting) }
    for external in table.externals ?? [] {
      try connection.execute(
        "DELETE FROM \(quoted(external.name)) WHERE \(ExternalTable.rowColumn) IN (SELECT gone FROM \(united))")
    }
    try connection.execute(
      "DELETE FROM \(quoted(table.name)) WHERE \(identifierColumn) IN (SELECT gone FROM \(united))")
    try connection.execute("DROP TABLE \(united)")
  }

  /// Redirects references to a removed row to the row that is kept.
  private func redirectReferences(_ other: TableDefinition, _ uniting: inout DeduplicationQueue) throws {
    let united = RowDeduplication.mergeTable
    func kept(_ column: String) -> String { "(SELECT kept FROM \(united) WHERE gone = \(column))" }
    for column in other.columns where column.references == table.name {
      let name = quoted(column.name)
      try uniting.enqueue(other, column.name, on: connection)
      do {
        try connection.execute(
          "UPDATE \(quoted(other.name)) SET \(name) = \(kept(name)) WHERE \(name) IN (SELECT gone FROM \(united))")
      } catch let error as SQLiteError where error.code == .constraint {
        throw StoreError.duplicatesAfterMerging(executor.url, other.name, table.name, error.message)
      }
    }
    for joinTable in other.joinTables ?? [] {
      for (end, rows) in [(JoinTable.sourceColumn, joinTable.source), (JoinTable.targetColumn, joinTable.target)]
      where rows == table.name {
        // A pair that exists already is not needed twice.
        try connection.execute(
          "UPDATE OR IGNORE \(quoted(joinTable.name)) SET \(end) = \(kept(end)) WHERE \(end) IN (SELECT gone FROM \(united))"
        )
        try connection.execute("DELETE FROM \(quoted(joinTable.name)) WHERE \(end) IN (SELECT gone FROM \(united))")
      }
    }
  }
}
