import LarderSQLite
import LarderSupport

/// Identifiers that were handed out at an insert and are not their row's, because a save united the object with a
/// stored row or drew it another number. They stay findable.
///
/// A program that upserts by inserting makes one with each record, so the number is bounded: the oldest is forgotten
/// first, and an identifier that old names nothing any more.
package final class IdentifierAliases: Sendable {
  /// 100,000: more than anybody holds between an insert and its save, at some 10 MB.
  package static let limit = 100_000

  private struct Alias {
    let row: Int64
    /// Whether another program's row has the former number.
    let isOccupied: Bool
  }

  private struct Table {
    var rows: [PersistentIdentifier.ID: Alias] = [:]
    /// The identifiers in the order in which they came, from `next` on, as a ring once it is full.
    var order: [PersistentIdentifier.ID] = []
    var next = 0
  }

  private let table = Locked(Table())
  private let limit: Int
  /// Whether a row has the number of an identifier. A number that was handed out and then not written may be the next one
  /// that another program draws.
  private let rowExists: @Sendable (PersistentIdentifier.ID) -> Bool

  package init(
    limit: Int = IdentifierAliases.limit,
    rowExists isRow: @escaping @Sendable (PersistentIdentifier.ID) -> Bool = { _ in false }
  ) {
    self.limit = limit
    self.rowExists = isRow
  }

  /// - Parameter isTaken: Whether a row that another program has written has the number that the identifier names.
  package func record(_ identifier: PersistentIdentifier.ID, as row: Int64, isOccupied isTaken: Bool = false) {
    table.withLock { table in
      if table.rows.updateValue(Alias(row: row, isOccupied: isTaken), forKey: identifier) != nil { return }
      if table.order.count < limit { return table.order.append(identifier) }
      table.rows[table.order[table.next]] = nil
      table.order[table.next] = identifier
      table.next = (table.next + 1) % limit
    }
  }

  /// Whether there is any.
  var hasAny: Bool { table.withLock { !$0.rows.isEmpty } }

  /// The row that an identifier names by now, where it is not its own. One that was taken from a saved row names that.
  package func row(of identifier: PersistentIdentifier) -> Int64? {
    row(of: identifier.id, isStored: !identifier.isTemporary)
  }

  /// - Parameter isStored: Whether a stored row is meant where there is one of that number.
  package func row(of identifier: PersistentIdentifier.ID, isStored: Bool) -> Int64? {
    guard let row = alias(of: identifier, isStored: isStored) else { return nil }
    // Not behind the lock: the store is asked.
    guard isStored, rowExists(identifier) else { return row }
    table.withLock { table in
      if let alias = table.rows[identifier] { table.rows[identifier] = Alias(row: alias.row, isOccupied: true) }
    }
    return nil
  }

  private func alias(of identifier: PersistentIdentifier.ID, isStored: Bool) -> Int64? {
    table.withLock { table in
      guard !table.rows.isEmpty, var alias = table.rows[identifier] else { return nil }
      if isStored, alias.isOccupied { return nil }
      // What was given another number may have met a row under that.
      for _ in 0..<IdentifierAliases.maximumChainLength {
        guard let next = table.rows[PersistentIdentifier.ID(identity: identifier.identity, key: alias.row)] else {
          break
        }
        alias = next
      }
      return alias.row
    }
  }

  /// How often an object may have been given another number.
  private static let maximumChainLength = 16
}
