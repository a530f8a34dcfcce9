/// Where an object stands between its context and the store.
@frozen
@usableFromInline
package struct ModelStatus: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Inserted and not yet saved.
  @inlinable package static var inserted: ModelStatus { ModelStatus(rawValue: 1) }
  /// There is a row for it in the store.
  @inlinable package static var stored: ModelStatus { ModelStatus(rawValue: 2) }
  /// In its context's list of changed objects.
  @inlinable package static var changed: ModelStatus { ModelStatus(rawValue: 4) }
  /// Deleted, and the deletion not yet saved.
  @inlinable package static var deleted: ModelStatus { ModelStatus(rawValue: 8) }
  /// A change of what is changed already is told to its context's undo manager, and to what is shown live.
  @inlinable package static var changeTracked: ModelStatus { ModelStatus(rawValue: 64) }
  /// Its row is gone; changes to it are dropped.
  @inlinable package static var rowMissing: ModelStatus { ModelStatus(rawValue: 16) }
  /// Beside ``gone``: others have deleted it.
  @inlinable package static var deletedRemotely: ModelStatus { ModelStatus(rawValue: 32) }
  /// A to-one of it was set, and not the list that mirrors it alone. Ends with its changes.
  @inlinable package static var toOneSet: ModelStatus { ModelStatus(rawValue: 128) }
  /// A to-many of it was set, and not the other ends alone. Ends with its changes.
  @inlinable package static var toManySet: ModelStatus { ModelStatus(rawValue: 256) }
  /// Changed, and how.
  @inlinable package static var edited: ModelStatus { ModelStatus(rawValue: 4 | 128 | 256) }
}

// What the protocol has for every set of options would be looked up in its witness table, for each object.
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
