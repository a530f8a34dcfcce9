/// A model that a transaction inserted.
public struct DefaultHistoryInsert<Model>: HistoryInsert {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// A model that a transaction changed.
// @unchecked: key paths are immutable.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, @unchecked Sendable {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that were changed; of a model with more than 63, all past the 63rd if one of them was.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
}

/// A model that a transaction deleted.
public struct DefaultHistoryDelete<Model>: HistoryDelete {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  public let tombstone: HistoryTombstone<Model>
}
