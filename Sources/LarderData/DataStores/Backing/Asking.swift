import Foundation

/// Puts questions to a store, and puts them otherwise where it would rather have a part of the work done in memory.
struct Asking {
  private let backing: StoreBacking
  private let editing: EditingState

  init(_ backing: StoreBacking, _ editing: EditingState) {
    self.backing = backing
    self.editing = editing
  }

  /// What the store answers, and whether it is all that it has of the model.
  func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> (answer: StoreAnswer, isWhole: Bool) {
    var asked = descriptor
    for _ in 0..<3 {
      do {
        let answer = try backing.fetch(DataStoreFetchRequest(editingState: editing, descriptor: asked))
        try Absorption.check(answer.found)
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

  func all<T: PersistentModel>(_ type: T.Type) throws -> StoreAnswer { try fetch(FetchDescriptor<T>()).answer }

  /// What the store has of some models.
  func models<T: PersistentModel>(_ identifiers: [PersistentIdentifier], _ type: T.Type) throws -> StoreAnswer {
    let predicate = #Predicate<T> { identifiers.contains($0.persistentModelID) }
    return try fetch(FetchDescriptor<T>(predicate: predicate)).answer
  }
}
