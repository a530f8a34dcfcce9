import LarderSQLite

// One-to-one relationships. No unique index enforces them, so another program may have written rows that violate them.

extension IntegrityCheck {
  mutating func checkOneToOnes(of table: TableDefinition, among tables: [TableDefinition], _ connection: Connection)
    throws
  {
    for relationship in table.allRelations where !relationship.isToMany {
      guard let column = relationship.column, IntegrityCheck.isOneToOne(relationship, tables) else { continue }
      let (name, key) = (StoreFormat.quoted(table.name), StoreFormat.quoted(column))
      let id = StoreFormat.identifierColumn
      let shared = try pairs(
        "SELECT \(id), \(key) FROM \(name) WHERE \(key) IN (SELECT \(key) FROM \(name) WHERE \(key) IS NOT NULL "
          + "GROUP BY \(key) HAVING count(*) > 1) ORDER BY \(key), \(id) LIMIT \(IntegrityCheck.maximumFindings)",
        connection)
      for (row, end) in shared {
        report(
          .inconsistentInverse, relationship.ofClass, row,
          "\(relationship.ofClass) \(row) is not the only one that refers by \(relationship.name) to \(relationship.destination) "
            + "\(end), which can be related to one.")
      }
      guard relationship.isSymmetric else { continue }
      let unreturned = try pairs(
        "SELECT a.\(id), a.\(key) FROM \(name) AS a JOIN \(name) AS b ON b.\(id) = a.\(key) "
          + "WHERE b.\(key) IS NOT a.\(id) ORDER BY a.\(id) LIMIT \(IntegrityCheck.maximumFindings)", connection)
      for (row, end) in unreturned where !shared.contains(where: { $0.row == row }) {
        report(
          .inconsistentInverse, relationship.ofClass, row,
          "\(relationship.ofClass) \(row) refers by \(relationship.name) to \(relationship.destination) \(end), which does not refer to "
            + "it.")
      }
    }
  }

  /// Returns whether the inverse relationship is a to-one as well.
  private static func isOneToOne(_ relationship: StoredRelationship, _ tables: [TableDefinition]) -> Bool {
    guard let inverse = relationship.inverse else { return false }
    guard let there = tables.first(where: { $0.classNames.contains(relationship.destination) }) else { return false }
    let line = there.lineage(of: relationship.destination)
    return there.allRelations.contains { $0.name == inverse && line.contains($0.ofClass) && !$0.isToMany }
  }

  private func pairs(_ sql: String, _ connection: Connection) throws -> [(row: Int64, end: Int64)] {
    try connection.withStatement(for: sql) { statement in
      var pairs: [(row: Int64, end: Int64)] = []
      while try statement.step() { pairs.append((statement.int64(0), statement.int64(1))) }
      return pairs
    }
  }
}
