import LarderSQLite
import LarderSupport

/// Aliases of identifiers that were handed out at an insert and differ from the saved row's, because the save resolved the
/// insert to a stored row or assigned another row ID. The aliases keep them valid.
///
/// A program that upserts by inserting creates one alias per record, so the number is bounded: the oldest is removed first,
/// and its identifier is no longer valid.
package final class IdentifierAliases: Sendable {
  /// The maximum number of aliases, 100,000: more than a program holds between an insert and its save, at some 10 MB.
  package static let limit = 100_000

  private struct Alias {
    let row: Int64
    /// Whether another program's row has the former row ID.
    let isOccupied: Bool
  }

  private struct Table {
    var rows: [PersistentIdentifier.ID: Alias] = [:]
    /// The identifiers in the order of their registration, starting at `next`, as a ring buffer once it is full.
    var order: [PersistentIdentifier.ID] = []
    var next = 0
  }

  private let table = Locked(Table())
  private let limit: Int
  /// Returns whether a row has the row ID of an identifier. A row ID that was handed out and never written may be the next one
  /// that another program assigns.
  private let rowExists: @Sendable (PersistentIdentifier.ID) -> Bool

  package init(
    limit: Int = IdentifierAliases.limit,
    rowExists isRow: @escaping @Sendable (PersistentIdentifier.ID) -> Bool = { _ in false }
  ) {
    self.limit = limit
    self.rowExists = isRow
  }

  /// - Parameter isTaken: Whether a row that another program has written has the row ID of the identifier.
  package func record(_ identifier: PersistentIdentifier.ID, as row: Int64, isOccupied isTaken: Bool = false) {
    table.withLock { table in
      if table.rows.updateValue(Alias(row: row, isOccupied: isTaken), forKey: identifier) != nil { return }
      if table.order.count < limit { return table.order.append(identifier) }
      table.rows[table.order[table.next]] = nil
      table.order[table.next] = identifier
      table.next = (table.next + 1) % limit
    }
  }

  /// Whether there is any alias.
  var hasAny: Bool { table.withLock { !$0.rows.isEmpty } }

  /// Returns the current row ID of an identifier, or `nil` if it is the identifier's own. An identifier that was taken from a
  /// saved row refers to that row.
  package func row(of identifier: PersistentIdentifier) -> Int64? {
    row(of: identifier.id, isStored: !identifier.isTemporary)
  }

  /// - Parameter isStored: Whether the identifier refers to a stored row with that row ID, if there is one.
  package func row(of identifier: PersistentIdentifier.ID, isStored: Bool) -> Int64? {
    guard let row = alias(of: identifier, isStored: isStored) else { return nil }
    // Outside the lock, since the closure queries the store.
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
      // A later save may have resolved an object with another row ID to an existing row.
      for _ in 0..<IdentifierAliases.maximumChainLength {
        guard let next = table.rows[PersistentIdentifier.ID(identity: identifier.identity, key: alias.row)] else {
          break
        }
        alias = next
      }
      return alias.row
    }
  }

  /// The maximum number of times that an object received another row ID.
  private static let maximumChainLength = 16
}
