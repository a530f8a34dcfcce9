import LarderData
import LarderSQLite

extension MigrationExecutor {
  /// Deletes the values and pairs of rows whose class was removed, and sets references to those rows to NULL.
  func deleteOrphans() throws {
    let known = Set(migration.tables.map(\.name))
    for table in migration.tables {
      for sql in table.orphanDeletion(known) { try connection.execute(sql) }
      for column in table.columns {
        guard let destination = column.references else { continue }
        let isThere = migration.tables.contains { $0.name == destination }
        let leadsNowhere =
          "\(quoted(column.name)) IS NOT NULL"
          + (isThere
            ? " AND \(quoted(column.name)) NOT IN (SELECT \(identifierColumn) FROM \(quoted(destination)))" : "")
        if column.isOptional {
          try connection.execute("UPDATE \(quoted(table.name)) SET \(quoted(column.name)) = NULL WHERE \(leadsNowhere)")
        } else if let count = try connection.int64("SELECT count(*) FROM \(quoted(table.name)) WHERE \(leadsNowhere)"),
          count > 0
        {
          throw StoreError.notMigratable(
            url,
            [
              "\(table.name).\(column.property) is not optional, and there are rows whose own goes with its class (\(count))"
            ])
        }
      }
    }
  }
}

extension TableDefinition {
  /// Returns the statements that delete values and pairs of missing rows: foreign keys are not enforced during a
  /// migration, so nothing cascades.
  ///
  /// - Parameter known: The names of the existing tables.
  func orphanDeletion(_ known: Set<String>) -> [String] {
    let q = StoreFormat.quoted
    func isGone(_ column: String, _ table: String) -> String {
      known.contains(table) ? "\(column) NOT IN (SELECT \(StoreFormat.identifierColumn) FROM \(q(table)))" : "1"
    }
    return (joinTables ?? []).map { joinTable in
      "DELETE FROM \(q(joinTable.name)) WHERE \(isGone(JoinTable.sourceColumn, joinTable.source)) "
        + "OR \(isGone(JoinTable.targetColumn, joinTable.target))"
    }
      + (externals ?? []).map { external in
        "DELETE FROM \(q(external.name)) WHERE \(isGone(ExternalTable.rowColumn, external.entity))"
      }
  }
}
