import LarderSQLite

// Checks the classes of referenced rows. A foreign key references a table, which may have the rows of several classes;
// a relationship is limited to one of these classes and its subclasses.

extension IntegrityCheck {
  mutating func checkDestinations(
    of table: TableDefinition, among tables: [TableDefinition], _ connection: Connection
  ) throws {
    for relationship in table.allRelations {
      guard let there = tables.first(where: { $0.classNames.contains(relationship.destination) }), there.classes != nil
      else { continue }
      let family = there.family(of: relationship.destination)
      let others = there.classNames.filter { !family.contains($0) }
      if others.isEmpty { continue }
      let (own, key, from): (String, String, String)
      if let column = relationship.column {
        (own, key, from) = (StoreFormat.identifierColumn, column, table.name)
      } else if let joinTable = relationship.joinTable {
        let isSource = relationship.isSource ?? true
        own = isSource ? JoinTable.sourceColumn : JoinTable.targetColumn
        key = isSource ? JoinTable.targetColumn : JoinTable.sourceColumn
        from = joinTable.name
      } else {
        continue
      }
      if unreadableTables.contains(from) || unreadableTables.contains(there.name) { continue }
      let found = try connection.withStatement(
        for: """
          SELECT a.\(own), b.\(StoreFormat.identifierColumn), b.\(StoreFormat.classColumn) \
          FROM \(StoreFormat.quoted(from)) AS a JOIN \(StoreFormat.quoted(there.name)) AS b \
          ON b.\(StoreFormat.identifierColumn) = a.\(StoreFormat.quoted(key)) \
          WHERE b.\(StoreFormat.classColumn) IN (\(others.map(StoreFormat.literal).joined(separator: ", "))) \
          ORDER BY 1, 2 LIMIT \(IntegrityCheck.maximumFindings)
          """
      ) { statement in
        var found: [(row: Int64, other: Int64, ofClass: String)] = []
        while try statement.step() { found.append((statement.int64(0), statement.int64(1), statement.string(2))) }
        return found
      }
      for (row, other, ofClass) in found {
        report(
          .missingReference, relationship.ofClass, row,
          "\(relationship.ofClass) \(row) refers by \(relationship.name) to row \(other), which is of the class \(ofClass) and no "
            + "\(relationship.destination).")
      }
    }
  }
}
