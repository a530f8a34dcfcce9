import Foundation

/// What a context asks a store for.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// Which context asks, and on whose behalf.
  public let editingState: EditingState
  /// What is asked for.
  public let descriptor: FetchDescriptor<T>
}

/// What a store answers.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// What was asked for.
  public let descriptor: FetchDescriptor<ModelType>
  /// What was found.
  public let fetchedSnapshots: [SnapshotType]
  /// What that is related to, as far as the store has it at hand: the rest is asked for.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
