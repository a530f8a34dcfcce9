/// A cache of prepared statements, by their text: preparing costs more than running.
struct StatementCache {
  private struct Entry {
    var copies: [Statement]
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var clock: UInt64 = 0

  var count: Int { entries.count }

  /// Returns a statement that is not checked out.
  mutating func checkOut(for sql: String) -> Statement? {
    guard let index = entries.index(forKey: sql) else { return nil }
    clock &+= 1
    entries.values[index].lastUse = clock
    for position in entries.values[index].copies.indices {
      // A statement that was dropped without being checked in is free, too.
      let abandoned = isKnownUniquelyReferenced(&entries.values[index].copies[position])
      let statement = entries.values[index].copies[position]
      if abandoned && statement.isCheckedOut { statement.checkIn() }
      if statement.checkOut() { return statement }
    }
    return nil
  }

  mutating func insert(_ statement: Statement) {
    clock &+= 1
    if entries.count >= DatabaseSettings.maximumCachedStatements, entries[statement.sql] == nil { evict() }
    var entry = entries.removeValue(forKey: statement.sql) ?? Entry(copies: [], lastUse: clock)
    if entry.copies.count < DatabaseSettings.maximumStatementCopies { entry.copies.append(statement) }
    entries[statement.sql] = entry
  }

  /// Removes the least recently used quarter: rarely, and then in one pass.
  private mutating func evict() {
    let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, entries.count / 4))
    for (sql, _) in oldest { entries[sql] = nil }
  }

  mutating func removeAll() { entries.removeAll() }
}
