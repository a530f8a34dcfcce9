public import LarderSupport

/// What a save changed: everything that follows a save hangs on this and on nothing else.
@usableFromInline
package struct ChangeSet: Sendable {
  /// One model's changes.
  package struct Entity: Sendable {
    package let layout: _ModelLayout
    package let identity: EntityIdentity
    package var inserted: [Int64] = []
    package var updated: [Update] = []
    package var deleted: [Int64] = []
    /// What deleted rows had in the attributes that are to outlast them.
    package var tombstones: [Tombstone] = []
    /// What its rows had and have in columns of which somebody reads the rows of one value: by the column's place in the
    /// layout. Of a column that is not there nobody knows.
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

  /// What a deleted row had.
  package struct Tombstone: Sendable {
    package var row: Int64
    /// By the names of the columns; that of the property for a value in a table beside the rows.
    package var values: [(column: String, value: _StoredValue)]
  }

  package var entities: [Entity] = []
  package var author: String?
  /// The number that the store's history has it by, once it is written.
  package var transaction: Int64?

  package var isEmpty: Bool { entities.allSatisfy(\.isEmpty) }

  /// By loops: there may be a million rows, and `flatMap` and `map` look up the type of each element that they are given.
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
