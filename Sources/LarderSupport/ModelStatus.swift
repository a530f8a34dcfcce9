/// The state of an object with respect to its context and the store.
@frozen
@usableFromInline
package struct ModelStatus: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Inserted and not yet saved.
  @inlinable package static var inserted: ModelStatus { ModelStatus(rawValue: 1) }
  /// The store has a row for the object.
  @inlinable package static var stored: ModelStatus { ModelStatus(rawValue: 2) }
  /// The object is in its context's list of changed objects.
  @inlinable package static var changed: ModelStatus { ModelStatus(rawValue: 4) }
  /// Deleted, with the deletion not yet saved.
  @inlinable package static var deleted: ModelStatus { ModelStatus(rawValue: 8) }
  /// Each further change of a changed object is reported to its context's undo manager and live lists.
  @inlinable package static var changeTracked: ModelStatus { ModelStatus(rawValue: 64) }
  /// The object's row no longer exists; changes to the object are dropped.
  @inlinable package static var rowMissing: ModelStatus { ModelStatus(rawValue: 16) }
  /// Set in addition to ``rowMissing``: another context or process deleted the row.
  @inlinable package static var deletedRemotely: ModelStatus { ModelStatus(rawValue: 32) }
  /// The program set a to-one of the object itself, not only the list that is its inverse. Cleared with the changes.
  @inlinable package static var toOneSet: ModelStatus { ModelStatus(rawValue: 128) }
  /// The program set a to-many of the object itself, not only the other ends. Cleared with the changes.
  @inlinable package static var toManySet: ModelStatus { ModelStatus(rawValue: 256) }
  /// Changed, with both marks of relationships.
  @inlinable package static var edited: ModelStatus { ModelStatus(rawValue: 4 | 128 | 256) }
}

// Overloads of the generic operations of option sets, which would be looked up in the witness table for each object.
extension ModelStatus {
  @inlinable package var isEmpty: Bool { rawValue == 0 }
  @inlinable package func contains(_ other: ModelStatus) -> Bool { rawValue & other.rawValue == other.rawValue }
  @inlinable package mutating func insert(_ other: ModelStatus) {
    self = ModelStatus(rawValue: rawValue | other.rawValue)
  }
  @inlinable package mutating func remove(_ other: ModelStatus) {
    self = ModelStatus(rawValue: rawValue & ~other.rawValue)
  }
  @inlinable package static func == (left: ModelStatus, right: ModelStatus) -> Bool { left.rawValue == right.rawValue }
}
