import LarderData
import LarderSQLite

/// What uniting rows leads to: rows that refer to them may agree by that, in what is to be unique with what they refer to.
struct DeduplicationQueue {
  /// Tables whose rows may agree now.
  private var pendingTables: [TableDefinition] = []
  /// The indexes that stood in the way of that, to be made again.
  private var removedIndexes: [String] = []

  /// A column's keys are about to lead elsewhere.
  mutating func enqueue(_ table: TableDefinition, _ column: String, on connection: Connection) throws {
    let groups = table.unique.filter { $0.contains(column) }
    if groups.isEmpty { return }
    if !pendingTables.contains(where: { $0.name == table.name }) { pendingTables.append(table) }
    for group in groups {
      // A former table's has the same name.
      guard let index = try StoredIndex.find(group, isUnique: true, of: table.name, on: connection) else { continue }
      try connection.execute("DROP INDEX \(StoreFormat.quoted(index.name))")
      removedIndexes.append(table.uniqueIndexCreation(group))
    }
  }

  /// The next table to look at; nil where there is none.
  mutating func next() -> TableDefinition? { pendingTables.popLast() }

  func recreateIndexes(on connection: Connection) throws {
    for sql in removedIndexes { try connection.execute(sql) }
  }
}
