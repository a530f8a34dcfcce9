public import Foundation

/// What a context has a store save: all of it, or nothing.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Models that changed, with all of their values.
  public let updated: [SnapshotType]
  /// Models that are deleted, with the values that they had.
  public let deleted: [SnapshotType]
  /// Which context saves, and on whose behalf.
  public let editingState: EditingState
}

/// What became of a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The identifiers of new models, by the temporary ones that they had.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The store that saved.
  public let storeIdentifier: String
  /// Models whose values the store made others than it was given: contexts take them over.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// How far the store's history is with this save, where it keeps one.
  public let historyToken: (any HistoryToken)?

  /// - Parameters:
  ///   - storeIdentifier: The store that saved.
  ///   - remappedIdentifiers: The identifiers of new models, by the temporary ones. One that is left out keeps that.
  ///   - snapshotsToReregister: What the store has otherwise than it was given it.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    historyToken = nil
  }

  /// As ``init(for:remappedIdentifiers:snapshotsToReregister:)``, by a store that keeps a history.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The store's.
  ///   - remappedIdentifiers: Identifiers that the store has given, by those that models had before.
  ///   - snapshotsToReregister: What models are to have instead, by their identifiers.
  ///   - historyToken: How far the history is with this save.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}

/// What a store that can do so is to delete by itself.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// Which context deletes, and on whose behalf.
  public let editingState: EditingState
  /// Which models; nil for all.
  public let predicate: Predicate<T>?
  /// Whether models of classes that inherit from this one are deleted, too.
  public let includeSubclasses: Bool
}
