import Foundation

/// A fetch that a context requests from a data store.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// The identity and the author of the context that fetches.
  public let editingState: EditingState
  /// The descriptor of the requested models.
  public let descriptor: FetchDescriptor<T>
}

/// The result of a data store's fetch.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The snapshots of the matching models.
  public let fetchedSnapshots: [SnapshotType]
  /// The snapshots of related models, if the store has them at hand. The context fetches the others.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates the result of a fetch.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the request.
  ///   - fetchedSnapshots: The snapshots of the matching models.
  ///   - relatedSnapshots: The snapshots of related models that the store has at hand, by their identifiers.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
