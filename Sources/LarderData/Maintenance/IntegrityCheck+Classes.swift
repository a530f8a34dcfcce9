import LarderSQLite

// The classes of rows. The tables have CHECK constraints for them, which SQLite's own check does not verify on every
// connection, and which another program may have switched off.

extension IntegrityCheck {
  mutating func checkClasses(of table: TableDefinition, _ connection: Connection) throws {
    guard let classes = table.classes else { return }
    let (name, id, ofClass) = (
      StoreFormat.quoted(table.name), StoreFormat.identifierColumn, StoreFormat.classColumn
    )
    func list(_ names: [String]) -> String { names.map(StoreFormat.literal).joined(separator: ", ") }
    let strangers = try rows(
      "SELECT \(id), \(ofClass) FROM \(name) WHERE \(ofClass) NOT IN (\(list(table.classNames))) OR \(ofClass) IS NULL "
        + "ORDER BY \(id) LIMIT \(IntegrityCheck.maximumFindings)", connection)
    for (row, found) in strangers {
      report(
        .unreadableValue, table.name, row,
        "Row \(row) of \"\(table.name)\" is of the class \(found), of which the store has no model: its \(ofClass) must be "
          + "one of \(table.classNames.joined(separator: ", ")). No fetch that meets the row succeeds.")
    }
    // The values of a model's own properties are checked where the model is known.
    let known = Set(layouts.map(\.entityName))
    for one in classes where !known.contains(one.name) {
      for column in table.columns where column.ofClass == one.name && !column.isOptional {
        let lacking = try rows(
          "SELECT \(id), NULL FROM \(name) WHERE \(ofClass) IN (\(list(table.family(of: one.name)))) AND "
            + "\(StoreFormat.quoted(column.name)) IS NULL ORDER BY \(id) LIMIT \(IntegrityCheck.maximumFindings)",
          connection)
        for (row, _) in lacking {
          report(
            .unreadableValue, one.name, row,
            "\(one.name).\(column.property) of row \(row) is not there, and may not be nil.")
        }
      }
    }
  }

  private func rows(_ sql: String, _ connection: Connection) throws -> [(row: Int64, found: String)] {
    try connection.withStatement(for: sql) { statement in
      var rows: [(row: Int64, found: String)] = []
      while try statement.step() {
        rows.append((statement.int64(0), statement.isNull(1) ? "NULL" : "\"\(statement.string(1))\""))
      }
      return rows
    }
  }
}
