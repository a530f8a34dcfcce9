import LarderSQLite

/// Rows that agree in what is to be unique from now on.
struct DuplicateRows {
  private let carrier: MigrationCarrier
  private let change: TableChange
  private let q = StoreFormat.quoted
  private let id = StoreFormat.identifierColumn

  init(_ carrier: MigrationCarrier, _ change: TableChange) {
    self.carrier = carrier
    self.change = change
  }

  private var connection: Connection { carrier.connection }
  private var table: TableDefinition { change.definition }

  /// Leaves one of each, or says which they are.
  func unite() throws {
    if case .made = change.kind { return }
    for group in table.unique { try unite(group) }
  }

  private func unite(_ group: [String]) throws {
    let columns = group.map(q).joined(separator: ", ")
    let present = group.map { "\(q($0)) IS NOT NULL" }.joined(separator: " AND ")
    let keys = "FROM \(q(table.name)) WHERE \(present) GROUP BY \(columns) HAVING count(*) > 1"
    guard let count = try connection.int64("SELECT count(*) FROM (SELECT 1 \(keys))"), count > 0 else { return }
    switch carrier.options.duplicates {
    case .refuse: throw StoreError.duplicates(carrier.url, table, group, count, try examples(columns, keys))
    case .keepFirst: try remove(columns, present, kept: "min")
    case .keepLast: try remove(columns, present, kept: "max")
    }
  }

  private func examples(_ columns: String, _ keys: String) throws -> [String] {
    try connection.withStatement(for: "SELECT \(columns) \(keys) ORDER BY 1 LIMIT \(StoreError.listedProblems)") {
      statement in
      var result: [String] = []
      defer { statement.reset() }
      while try statement.step() {
        let values = (0..<statement.columnCount).map { StoredValue(column: $0, of: statement.handle).description }
        result.append(values.joined(separator: ", "))
      }
      return result
    }
  }

  private static let united = "\(StoreFormat.prefix)united"

  private func remove(_ columns: String, _ present: String, kept: String) throws {
    let united = DuplicateRows.united
    try connection.execute("DROP TABLE IF EXISTS \(united)")
    try connection.execute("CREATE TABLE \(united) (gone INTEGER PRIMARY KEY, kept INTEGER NOT NULL) STRICT")
    try connection.execute(
      "INSERT INTO \(united) SELECT \(id), kept FROM (SELECT \(id), \(kept)(\(id)) OVER (PARTITION BY \(columns)) AS kept "
        + "FROM \(q(table.name)) WHERE \(present)) WHERE \(id) <> kept")
    for other in carrier.migration.tables { try redirect(other) }
    for external in table.externals ?? [] {
      try connection.execute(
        "DELETE FROM \(q(external.name)) WHERE \(ExternalTable.rowColumn) IN (SELECT gone FROM \(united))")
    }
    try connection.execute("DELETE FROM \(q(table.name)) WHERE \(id) IN (SELECT gone FROM \(united))")
    try connection.execute("DROP TABLE \(united)")
  }

  /// Lets what led to a row that goes lead to the one that stays.
  private func redirect(_ other: TableDefinition) throws {
    let united = DuplicateRows.united
    func kept(_ column: String) -> String { "(SELECT kept FROM \(united) WHERE gone = \(column))" }
    for column in other.columns where column.references == table.name {
      let name = q(column.name)
      try connection.execute(
        "UPDATE \(q(other.name)) SET \(name) = \(kept(name)) WHERE \(name) IN (SELECT gone FROM \(united))")
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
