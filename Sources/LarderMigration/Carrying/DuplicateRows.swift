import LarderData
import LarderSQLite

/// Rows that agree in what is to be unique from now on.
struct DuplicateRows {
  private let carrier: MigrationCarrier
  private let table: TableDefinition
  /// What becomes of the table; nil where it stays as it is.
  private let change: TableChange?
  private let q = StoreFormat.quoted
  private let id = StoreFormat.identifierColumn

  init(_ carrier: MigrationCarrier, _ table: TableDefinition) {
    self.carrier = carrier
    self.table = table
    change = carrier.migration.changes.first { $0.definition.name == table.name }
  }

  private var connection: Connection { carrier.connection }
  private var isMade: Bool { if case .made? = change?.kind { true } else { false } }

  /// The groups of columns whose values are there twice.
  func groups() throws -> Set<[String]> {
    if isMade { return [] }
    return Set(try table.unique.filter { try count($0) > 0 })
  }

  /// Leaves one of each, or says which they are.
  ///
  /// - Parameter uniting: Told which tables may have others by that.
  /// - Returns: Whether there were such.
  func unite(_ uniting: inout Uniting) throws -> Bool {
    if isMade { return false }
    return try table.unique.reduce(false) { try unite($1, &uniting) || $0 }
  }

  private func keys(_ group: [String]) -> String {
    "FROM \(q(table.name)) WHERE \(present(group)) GROUP BY \(columns(group)) HAVING count(*) > 1"
  }
  private func columns(_ group: [String]) -> String { group.map(q).joined(separator: ", ") }
  private func present(_ group: [String]) -> String { group.map { "\(q($0)) IS NOT NULL" }.joined(separator: " AND ") }

  private func count(_ group: [String]) throws -> Int64 {
    try connection.int64("SELECT count(*) FROM (SELECT 1 \(keys(group)))") ?? 0
  }

  private func unite(_ group: [String], _ uniting: inout Uniting) throws -> Bool {
    let count = try count(group)
    guard count > 0 else { return false }
    let isNew = isNew(group)
    let hasClasses = try spansClasses(group)
    switch carrier.options.duplicates {
    // What nobody has given a value yet tells no two rows to be the same; and an object does not become one of another class.
    case _ where isNew || hasClasses, .refuse:
      throw StoreError.duplicates(carrier.url, table, group, count, try examples(columns(group), keys(group)))
    case .keepFirst: try remove(columns(group), present(group), kept: "min", &uniting)
    case .keepLast: try remove(columns(group), present(group), kept: "max", &uniting)
    }
    return true
  }

  /// Whether all that is to be unique is new, so that every row has the same.
  private func isNew(_ group: [String]) -> Bool {
    guard change?.isRebuilt == true, !carrier.migration.matches.leavesRest else { return false }
    let names = Set(table.columns.filter { group.contains($0.name) }.map(\.property))
    return table.classNames.allSatisfy { name in
      carrier.migration.matches[name]?.properties.allSatisfy { !names.contains($0.now.name) || $0.former == nil }
        ?? true
    }
  }

  private func spansClasses(_ group: [String]) throws -> Bool {
    guard table.classes != nil else { return false }
    let sql = "SELECT count(*) FROM (SELECT 1 \(keys(group)) AND count(DISTINCT \(StoreFormat.classColumn)) > 1)"
    return try connection.int64(sql) ?? 0 > 0
  }

  /// Refuses what redirecting has made of relationships in which both ends are to one.
  static func checkOneToOnes(_ carrier: MigrationCarrier) throws {
    if carrier.options.duplicates == .refuse { return }
    let tables = carrier.migration.tables
    for table in tables {
      for relation in table.relations ?? [] {
        guard let column = relation.column, let inverse = relation.inverse,
          tables.contains(where: { other in
            other.relations?.contains { $0.ofClass == relation.destination && $0.name == inverse && !$0.isToMany }
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
          ["\(relation.destination).\(inverse) is a to-one, and of united rows some would have several (\(count))"])
      }
    }
  }

  private func examples(_ columns: String, _ keys: String) throws -> [String] {
    try connection.withStatement(for: "SELECT \(columns) \(keys) ORDER BY 1 LIMIT \(StoreError.listedProblems)") {
      statement in
      var result: [String] = []
      while try statement.step() {
        let values = (0..<statement.columnCount).map { StoredValue(column: $0, of: statement.handle).description }
        result.append(values.joined(separator: ", "))
      }
      return result
    }
  }

  private static let united = "\(StoreFormat.prefix)united"

  private func remove(_ columns: String, _ present: String, kept: String, _ uniting: inout Uniting) throws {
    let united = DuplicateRows.united
    try connection.execute("DROP TABLE IF EXISTS \(united)")
    try connection.execute("CREATE TABLE \(united) (gone INTEGER PRIMARY KEY, kept INTEGER NOT NULL) STRICT")
    try connection.execute(
      "INSERT INTO \(united) SELECT \(id), kept FROM (SELECT \(id), \(kept)(\(id)) OVER (PARTITION BY \(columns)) AS kept "
        + "FROM \(q(table.name)) WHERE \(present)) WHERE \(id) <> kept")
    for other in carrier.migration.tables { try redirect(other, &uniting) }
    for external in table.externals ?? [] {
      try connection.execute(
        "DELETE FROM \(q(external.name)) WHERE \(ExternalTable.rowColumn) IN (SELECT gone FROM \(united))")
    }
    try connection.execute("DELETE FROM \(q(table.name)) WHERE \(id) IN (SELECT gone FROM \(united))")
    try connection.execute("DROP TABLE \(united)")
  }

  /// Lets what led to a row that goes lead to the one that stays.
  private func redirect(_ other: TableDefinition, _ uniting: inout Uniting) throws {
    let united = DuplicateRows.united
    func kept(_ column: String) -> String { "(SELECT kept FROM \(united) WHERE gone = \(column))" }
    for column in other.columns where column.references == table.name {
      let name = q(column.name)
      try uniting.touch(other, column.name, on: connection)
      do {
        try connection.execute(
          "UPDATE \(q(other.name)) SET \(name) = \(kept(name)) WHERE \(name) IN (SELECT gone FROM \(united))")
      } catch let error as SQLiteError where error.code == .constraint {
        throw StoreError.alikeByUniting(carrier.url, other.name, table.name, error.message)
      }
    }
    for link in other.links ?? [] {
      for (end, rows) in [(LinkTable.sourceColumn, link.source), (LinkTable.targetColumn, link.target)]
      where rows == table.name {
        // A pair that is there already is not needed twice.
        try connection.execute(
          "UPDATE OR IGNORE \(q(link.name)) SET \(end) = \(kept(end)) WHERE \(end) IN (SELECT gone FROM \(united))")
        try connection.execute("DELETE FROM \(q(link.name)) WHERE \(end) IN (SELECT gone FROM \(united))")
      }
    }
  }
}
