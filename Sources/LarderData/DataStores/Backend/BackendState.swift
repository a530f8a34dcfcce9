/// The state that a context keeps for its data stores other than SQLite stores.
final class BackendState: ContextParticipant {
  private unowned let core: _ContextCore
  /// The identifiers of the data stores that were notified of the context.
  private var initializedStores: Set<String> = []
  /// The deletion by predicate, as long as it is the only pending change.
  var batchDeletion: BatchDeletion?

  init(_ core: _ContextCore) { self.core = core }

  /// Notifies a data store of the context before its first request.
  func initializeIfNeeded(_ backing: DataStoreBackend) {
    if initializedStores.insert(backing.identifier).inserted { backing.initializeState(core.editingState) }
  }

  func didClearChanges() { batchDeletion = nil }

  func contextDidDeinit() {
    for session in core.sessions {
      guard let backing = session.store.dataStoreBackend, initializedStores.remove(backing.identifier) != nil else {
        continue
      }
      try? backing.exclusively { backing.invalidateState(core.editingState) }
    }
  }
}

extension _ContextCore {
  /// The context's state for data stores. The first request creates it.
  var backendState: BackendState {
    if let known = participant(BackendState.self) { return known }
    let made = BackendState(self)
    add(made)
    return made
  }
}
