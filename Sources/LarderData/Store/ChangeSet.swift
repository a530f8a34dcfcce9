public import LarderSupport

/// The change set of a save, from which all notifications, history and live updates are derived.
@usableFromInline
package struct ChangeSet: Sendable {
  /// The rows up to which contexts keep changes row by row. Of more, a context looks at all of its objects.
  static let maximumListedRows = 50_000

  /// The changes of one entity.
  package struct Entity: Sendable {
    package let layout: _ModelLayout
    package let identity: EntityIdentity
    package var inserted: [Int64] = []
    package var updated: [Update] = []
    package var deleted: [Int64] = []
    /// The preserved attribute values of deleted rows.
    package var tombstones: [Tombstone] = []
    /// The old and new values of the rows in observed columns, by the column's index in the layout. The values of an absent
    /// column are unknown.
    package var changedIndexedValues: [Int: Set<_StoredValue>] = [:]

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  @usableFromInline
  package struct Update: Sendable {
    @usableFromInline package var row: Int64
    /// The properties that changed.
    @usableFromInline package var mask: _PropertyMask

    @inlinable
    package init(row: Int64, mask: _PropertyMask) {
      self.row = row
      self.mask = mask
    }
  }

  /// The preserved values of a deleted row.
  package struct Tombstone: Sendable {
    package var row: Int64
    /// The values by the column's name, or by the property's name for a value in a table of its own.
    package var values: [(column: String, value: _StoredValue)]
  }

  package var entities: [Entity] = []
  package var author: String?
  /// The transaction number in the store's history, once that is written.
  package var transaction: Int64?

  package var isEmpty: Bool { entities.allSatisfy(\.isEmpty) }

  /// Loops instead of `flatMap` and `map`: there may be a million rows, and those functions look up the type of each element.
  private func identifiers<Row>(_ rows: (Entity) -> [Row], _ key: (Row) -> Int64) -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(entities.reduce(0) { $0 + rows($1).count })
    for entity in entities {
      for row in rows(entity) {
        identifiers.append(PersistentIdentifier(identity: entity.identity, key: key(row), isSaved: true))
      }
    }
    return identifiers
  }

  package var insertedIdentifiers: [PersistentIdentifier] { identifiers(\.inserted) { $0 } }
  package var updatedIdentifiers: [PersistentIdentifier] { identifiers(\.updated, \.row) }
  package var deletedIdentifiers: [PersistentIdentifier] { identifiers(\.deleted) { $0 } }
}
