import LarderData
import LarderSQLite

extension MigrationCarrier {
  /// What belonged to rows of classes that are no more, and what referred to them.
  func forgetRemovedRows() throws {
    let known = Set(migration.tables.map(\.name))
    for table in migration.tables {
      for sql in table.orphanDeletion(known) { try connection.execute(sql) }
      for column in table.columns {
        guard let destination = column.references else { continue }
        let isThere = migration.tables.contains { $0.name == destination }
        let leadsNowhere =
          "\(q(column.name)) IS NOT NULL"
          + (isThere ? " AND \(q(column.name)) NOT IN (SELECT \(id) FROM \(q(destination)))" : "")
        if column.isOptional {
          try connection.execute("UPDATE \(q(table.name)) SET \(q(column.name)) = NULL WHERE \(leadsNowhere)")
        } else if let count = try connection.int64("SELECT count(*) FROM \(q(table.name)) WHERE \(leadsNowhere)"),
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
  /// The statements that remove what lies beside rows that are no more: keys that are not enforced remove nothing.
  ///
  /// - Parameter known: The tables that there are.
  func orphanDeletion(_ known: Set<String>) -> [String] {
    let q = StoreFormat.quoted
    func isGone(_ column: String, _ table: String) -> String {
      known.contains(table) ? "\(column) NOT IN (SELECT \(StoreFormat.identifierColumn) FROM \(q(table)))" : "1"
    }
    return (links ?? []).map { link in
      "DELETE FROM \(q(link.name)) WHERE \(isGone(LinkTable.sourceColumn, link.source)) "
        + "OR \(isGone(LinkTable.targetColumn, link.target))"
    }
      + (externals ?? []).map { external in
        "DELETE FROM \(q(external.name)) WHERE \(isGone(ExternalTable.rowColumn, external.entity))"
      }
  }
}
