public import Foundation

/// The changes that a context saves to a data store: all of them, or none.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
  /// The new models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// The changed models, with all of their values.
  public let updated: [SnapshotType]
  /// The deleted models, with their former values.
  public let deleted: [SnapshotType]
  /// The identity and the author of the context that saves.
  public let editingState: EditingState
}

/// The result of a data store's save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The permanent identifiers of inserted models, by their temporary identifiers.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The store that saved.
  public let storeIdentifier: String
  /// The models that the store has saved with other values than requested. Contexts import these values.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The history token of this save, or `nil` if the store has no history.
  public let historyToken: (any HistoryToken)?

  /// Creates the result of a save.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store that saved.
  ///   - remappedIdentifiers: The permanent identifiers of inserted models, by their temporary ones. A model that is left out
  ///     keeps its identifier.
  ///   - snapshotsToReregister: The models that the store has saved with other values than requested.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    historyToken = nil
  }

  /// Creates the result of a save by a store that has a history.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store that saved.
  ///   - remappedIdentifiers: The permanent identifiers of inserted models, by their temporary ones.
  ///   - snapshotsToReregister: The models that the store has saved with other values than requested, by their identifiers.
  ///   - historyToken: The history token of this save.
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

/// A deletion by predicate that a data store performs by itself.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// The identity and the author of the context that deletes.
  public let editingState: EditingState
  /// The predicate of the models to delete; `nil` deletes all models.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are deleted, too.
  public let includeSubclasses: Bool
}
