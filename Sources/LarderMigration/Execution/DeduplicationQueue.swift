import LarderData
import LarderSQLite

/// The tables to check again after duplicates were merged: rows that reference the merged rows may now be duplicates of
/// each other, if the reference is part of a uniqueness constraint.
struct DeduplicationQueue {
  /// Tables whose rows may now be duplicates.
  private var pendingTables: [TableDefinition] = []
  /// The unique indexes that were dropped for the redirection, to be created again.
  private var removedIndexes: [String] = []

  /// Records that the keys in a column are about to reference other rows.
  mutating func enqueue(_ table: TableDefinition, _ column: String, on connection: Connection) throws {
    let groups = table.unique.filter { $0.contains(column) }
    if groups.isEmpty { return }
    if !pendingTables.contains(where: { $0.name == table.name }) { pendingTables.append(table) }
    for group in groups {
      // The index of a former table has the same name.
      guard let index = try StoredIndex.find(group, isUnique: true, of: table.name, on: connection) else { continue }
      try connection.execute("DROP INDEX \(StoreFormat.quoted(index.name))")
      removedIndexes.append(table.uniqueIndexCreation(group))
    }
  }

  /// Returns the next table to check, or `nil` if there is none.
  mutating func next() -> TableDefinition? { pendingTables.popLast() }

  func recreateIndexes(on connection: Connection) throws {
    for sql in removedIndexes { try connection.execute(sql) }
  }
}
