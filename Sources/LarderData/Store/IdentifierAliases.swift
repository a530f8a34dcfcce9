import LarderSQLite

/// Identifiers that were handed out at an insert and are not their row's, because a save united the object with a
/// stored row or drew it another number. They stay findable.
///
/// A program that upserts by inserting makes one with each record, so the number is bounded: the oldest is forgotten
/// first, and an identifier that old names nothing any more.
package final class IdentifierAliases: Sendable {
  /// 100,000: more than anybody holds between an insert and its save, at some 10 MB.
  package static let limit = 100_000

  private struct Table {
    var rows: [PersistentIdentifier.ID: Int64] = [:]
    /// The identifiers in the order in which they came, from `next` on, as a ring once it is full.
    var order: [PersistentIdentifier.ID] = []
    var next = 0
  }

  private let table = Locked(Table())
  private let limit: Int

  package init(limit: Int = IdentifierAliases.limit) { self.limit = limit }

  package func remember(_ identifier: PersistentIdentifier.ID, as row: Int64) {
    table.withLock { table in
      if table.rows.updateValue(row, forKey: identifier) != nil { return }
      if table.order.count < limit { return table.order.append(identifier) }
      table.rows[table.order[table.next]] = nil
      table.order[table.next] = identifier
      table.next = (table.next + 1) % limit
    }
  }

  /// Whether there is any.
  var hasAny: Bool { table.withLock { !$0.rows.isEmpty } }

  /// The row that an identifier names by now, where it is not its own.
  package func row(of identifier: PersistentIdentifier.ID) -> Int64? {
    table.withLock { $0.rows.isEmpty ? nil : $0.rows[identifier] }
  }
}
