import Foundation

/// A fetch from a data store. If the data store prefers to leave a part of the work to memory, the fetch is repeated without it.
struct FetchDelegation {
  private let backend: DataStoreBackend
  private let editingState: EditingState

  init(_ backing: DataStoreBackend, _ editing: EditingState) {
    self.backend = backing
    self.editingState = editing
  }

  /// Returns the data store's result, and whether it contains all of the store's models of the type.
  func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> (answer: BackendFetchResult, isWhole: Bool)
  {
    var asked = descriptor
    for _ in 0..<3 {
      do {
        let answer = try backend.fetch(DataStoreFetchRequest(editingState: editingState, descriptor: asked))
        try SnapshotImport.checkConsistency(of: answer.found)
        return (answer, asked.predicate == nil && asked.fetchLimit == nil)
      } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
        asked.predicate = nil
        asked.sortBy = []
      } catch DataStoreError.preferInMemorySort where !asked.sortBy.isEmpty {
        asked.sortBy = []
      }
      asked.fetchLimit = nil
      asked.fetchOffset = nil
    }
    throw DataStoreError.unsupportedFeature
  }

  func fetchAll<T: PersistentModel>(_ type: T.Type) throws -> BackendFetchResult {
    try fetch(FetchDescriptor<T>()).answer
  }

  /// Returns the data store's snapshots of the specified models.
  func fetchModels<T: PersistentModel>(_ identifiers: [PersistentIdentifier], _ type: T.Type) throws
    -> BackendFetchResult
  {
    let predicate = #Predicate<T> { identifiers.contains($0.persistentModelID) }
    return try fetch(FetchDescriptor<T>(predicate: predicate)).answer
  }
}
