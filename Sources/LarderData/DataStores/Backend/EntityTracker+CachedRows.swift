import LarderSQLite
import LarderSupport

// Queries of cached rows that do not create objects.

extension _EntityTracker {
  /// Returns the specified rows that exist.
  func existingRows(_ rows: [Int64]) throws -> Set<Int64> {
    let id = StoreFormat.identifierColumn
    let sql = "SELECT \(id) FROM \(statements.table) WHERE \(id) IN (SELECT value FROM larder_values(?1))"
    return try session.read { connection in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, BoundValues(rows))
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.int64(0)) }
        return found
      }
    }
  }

  func exists(_ row: Int64) throws -> Bool { try !existingRows([row]).isEmpty }

  /// Returns the identifiers that a statement selects.
  func identifiers(_ sql: String, _ values: [_StoredValue]) throws -> [PersistentIdentifier] {
    try identifiers(sql) { statement in
      for (place, value) in values.enumerated() { statement.bind(Int32(place + 1), value) }
    }
  }

  /// Returns the identifiers of the specified rows that exist.
  func identifiers(of rows: [Int64]) throws -> [PersistentIdentifier] {
    let condition = "\(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
    return try identifiers("\(statements.selectIdentifiers) WHERE \(condition)") { $0.bind(1, BoundValues(rows)) }
  }

  private func identifiers(_ sql: String, _ bind: (Statement) -> Void) throws -> [PersistentIdentifier] {
    try session.read { connection in
      try connection.withStatement(for: sql) { statement in
        bind(statement)
        var found: [PersistentIdentifier] = []
        while try statement.step() {
          found.append(
            PersistentIdentifier(identity: identity(of: statement, column: 1), key: statement.int64(0), isSaved: true))
        }
        return found
      }
    }
  }

  /// Returns the identifiers of the rows that have one of the snapshot's unique keys.
  func identifiers(matchingKeysOf snapshot: SnapshotValues) throws -> [PersistentIdentifier] {
    try layout.uniqueGroups.flatMap { group -> [PersistentIdentifier] in
      var values: [_StoredValue] = []
      for column in group.map({ layout.columns[$0] }) {
        guard let value = storedValue(snapshot, column), value != .null else { return [] }
        values.append(value)
      }
      let conditions = group.enumerated().map {
        "\(StoreFormat.quoted(layout.columns[$0.element].name)) = ?\($0.offset + 1)"
      }
      return try identifiers(
        "\(statements.selectIdentifiers) WHERE \(conditions.joined(separator: " AND "))", values)
    }
  }

  /// Returns a column's value for a snapshot, or `nil` if the snapshot does not have the property.
  private func storedValue(_ snapshot: SnapshotValues, _ column: ColumnLayout) -> _StoredValue? {
    let property = layout.properties[column.property]
    if property.relationship != nil { return snapshot.relationships[property.name]?.first.map { .integer($0.key) } }
    guard let coded = snapshot.attributes[property.name], let value = property.value(fromSnapshot: coded, layout),
      let held = property.codec.box(value)
    else { return nil }
    let stored = StoredColumns(layout) { property.codec.write(boxed: held, to: &$0) }
    let place = column.index - property.columns.lowerBound
    return stored.problem == nil && stored.values.indices.contains(place) ? stored.values[place] : nil
  }

  /// Returns the identifiers of the rows whose foreign key column references the specified row.
  func identifiers(where column: Int, is row: Int64) throws -> [PersistentIdentifier] {
    try identifiers(
      "\(statements.selectIdentifiers) WHERE \(StoreFormat.quoted(layout.columns[column].name)) = ?1", [.integer(row)])
  }
}
