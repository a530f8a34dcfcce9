/// What a save changed: everything that follows a save hangs on this and on nothing else.
@usableFromInline
package struct ChangeSet: Sendable {
  /// One model's changes.
  package struct Entity: Sendable {
    package let layout: ModelLayout
    package let identity: EntityIdentity
    package var inserted: [Int64] = []
    package var updated: [Update] = []
    package var deleted: [Int64] = []
    /// What deleted rows had in the attributes that are to outlast them.
    package var tombstones: [Tombstone] = []
    /// What its rows had and have in columns of which somebody reads the rows of one value: by the column's place in the
    /// layout. Of a column that is not there nobody knows.
    package var touched: [Int: Set<StoredValue>] = [:]

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  @usableFromInline
  package struct Update: Sendable {
    @usableFromInline package var row: Int64
    /// The properties that changed.
    @usableFromInline package var mask: UInt64

    @inlinable
    package init(row: Int64, mask: UInt64) {
      self.row = row
      self.mask = mask
    }
  }

  /// What a deleted row had.
  package struct Tombstone: Sendable {
    package var row: Int64
    /// By the names of the columns; that of the property for a value in a table beside the rows.
    package var values: [(column: String, value: StoredValue)]
  }

  package var entities: [Entity] = []
  package var author: String?
  /// The number that the store's history has it by, once it is written.
  package var transaction: Int64?

  package var isEmpty: Bool { entities.allSatisfy(\.isEmpty) }

  private func identifiers(_ rows: (Entity) -> [Int64]) -> [PersistentIdentifier] {
    entities.flatMap { entity in
      rows(entity).map { PersistentIdentifier(identity: entity.identity, key: $0, isSaved: true) }
    }
  }

  package var insertedIdentifiers: [PersistentIdentifier] { identifiers(\.inserted) }
  package var updatedIdentifiers: [PersistentIdentifier] { identifiers { $0.updated.map(\.row) } }
  package var deletedIdentifiers: [PersistentIdentifier] { identifiers(\.deleted) }
}
