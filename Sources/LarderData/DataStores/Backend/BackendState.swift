/// What a context keeps for data stores that are not SQLite's.
final class BackendState: ContextParticipant {
  private unowned let core: _ContextCore
  /// The stores that know of the context, by their identifiers.
  private var initializedStores: Set<String> = []
  /// What was deleted by one predicate, while nothing else is pending.
  var batchDeletion: BatchDeletion?

  init(_ core: _ContextCore) { self.core = core }

  /// Has a store know of the context before it is asked for the first time.
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
  /// What the context keeps for data stores, made when it first asks one.
  var backendState: BackendState {
    if let known = participant(BackendState.self) { return known }
    let made = BackendState(self)
    add(made)
    return made
  }
}
