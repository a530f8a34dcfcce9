/// An insert of a model in a transaction of an SQLite store.
public struct DefaultHistoryInsert<Model>: HistoryInsert {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// An update of a model in a transaction of an SQLite store.
// @unchecked: key paths are immutable.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, @unchecked Sendable {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The changed properties. For a model with more than 63 properties, all past the 63rd if any of them was changed.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
}

/// A deletion of a model in a transaction of an SQLite store.
public struct DefaultHistoryDelete<Model>: HistoryDelete {
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  public let tombstone: HistoryTombstone<Model>
}
