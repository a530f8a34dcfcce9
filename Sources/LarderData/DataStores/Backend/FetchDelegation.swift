import Foundation

/// Puts questions to a store, and puts them otherwise where it would rather have a part of the work done in memory.
struct FetchDelegation {
  private let backend: DataStoreBackend
  private let editingState: EditingState

  init(_ backing: DataStoreBackend, _ editing: EditingState) {
    self.backend = backing
    self.editingState = editing
  }

  /// What the store answers, and whether it is all that it has of the model.
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

  /// What the store has of some models.
  func fetchModels<T: PersistentModel>(_ identifiers: [PersistentIdentifier], _ type: T.Type) throws
    -> BackendFetchResult
  {
    let predicate = #Predicate<T> { identifiers.contains($0.persistentModelID) }
    return try fetch(FetchDescriptor<T>(predicate: predicate)).answer
  }
}
