import LarderSQLite

/// Reads what rows have in their attributes with `.preserveValueOnDeletion`, before they are deleted.
struct TombstoneReading {
  private let connection: Connection
  private let columns: [String]
  private let select: String
  private let externals: [ExternalTable]

  /// nil where the model has no such attribute.
  init?(_ state: EntityState, connection: Connection) {
    let layout = state.layout
    let preserved = layout.properties.filter { $0.attribute?.isPreservedOnDeletion ?? false }
    if preserved.isEmpty { return nil }
    self.connection = connection
    columns = preserved.flatMap { layout.columns[$0.columns].map(\.name) }
    externals = preserved.compactMap(\.placement.external)
    let names = columns.isEmpty ? "1" : columns.map(StoreFormat.quoted).joined(separator: ", ")
    select = "SELECT \(names) FROM \(state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
  }

  /// nil where there is no such row.
  func read(_ row: Int64) throws -> ChangeSet.Tombstone? {
    var tombstone = ChangeSet.Tombstone(row: row, values: [])
    let isThere = try connection.withStatement(for: select) { statement in
      statement.bind(1, row)
      defer { statement.reset() }
      guard try statement.step() else { return false }
      for (place, column) in columns.enumerated() {
        tombstone.values.append((column, StoredValue(column: Int32(place), of: statement.handle)))
      }
      return true
    }
    if !isThere { return nil }
    for table in externals {
      try connection.withStatement(for: table.select) { statement in
        statement.bind(1, row)
        defer { statement.reset() }
        let value = try statement.step() ? StoredValue(column: 0, of: statement.handle) : .null
        tombstone.values.append((table.property, value))
      }
    }
    return tombstone
  }
}
