import LarderSQLite
import LarderSupport

extension _EntityTracker {
  /// Returns the error for a row with a value that cannot be read.
  @usableFromInline
  func unreadableRowError(_ row: Int64) -> any Error {
    let problem = problems.first ?? "a value cannot be read"
    problems.clear()
    let found = unreadableProperty(of: row)
    let entity = layout.entityName
    let reason =
      found.map { "\(entity).\($0.property.name) is a \($0.property.valueType), and \($0.problem)" } ?? problem
    return FetchError(
      .unreadableValue, entityName: entity,
      identifier: PersistentIdentifier(identity: identity, key: row, isSaved: true), property: found?.property.name,
      "\(entity) \(row) cannot be read: \(reason). Let the type read what is stored, as by an init(from:) with "
        + "decodeIfPresent for what it has gained, or correct the row. The other rows are had by fetchIdentifiers(_:) and "
        + "existingModel(for:), which throws for this one only; integrityCheck() names all such rows.")
  }

  /// Returns the first property of a row that cannot be read, and the reason. Reads the row's columns once more.
  private func unreadableProperty(of row: Int64) -> (property: PropertyLayout, problem: String)? {
    let layout = layout
    let columns = layout.columns.map { StoreFormat.quoted($0.name) }.joined(separator: ", ")
    if columns.isEmpty { return nil }
    let sql =
      "SELECT \(columns) FROM \(StoreFormat.quoted(layout.tableName)) WHERE \(StoreFormat.identifierColumn) = ?1"
    let stored = try? session.read { connection in
      try connection.withStatement(for: sql) { statement -> [_StoredValue]? in
        statement.bind(1, row)
        guard try statement.step() else { return nil }
        return layout.columns.indices.map { _StoredValue(column: Int32(truncatingIfNeeded: $0), of: statement.handle) }
      }
    }
    guard let stored = stored ?? nil else { return nil }
    for property in layout.properties where property.relationship == nil && !property.columns.isEmpty {
      if let problem = property.codec.problem(of: Array(stored[property.columns]), layout) {
        return (property, problem)
      }
    }
    return nil
  }
}
