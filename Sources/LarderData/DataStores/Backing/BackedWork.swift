/// What a context keeps for data stores that are not SQLite's.
final class BackedWork: ContextParticipant {
  private unowned let core: ContextCore
  /// The stores that know of the context, by their identifiers.
  private var begun: Set<String> = []
  /// What was deleted by one predicate, while nothing else is pending.
  var batch: BatchDeletion?

  init(_ core: ContextCore) { self.core = core }

  /// Has a store know of the context before it is asked for the first time.
  func begin(_ backing: StoreBacking) {
    if begun.insert(backing.identifier).inserted { backing.initializeState(core.editing) }
  }

  func pendingEnded() { batch = nil }

  func contextEnded() {
    for session in core.sessions {
      guard let backing = session.store.backing, begun.remove(backing.identifier) != nil else { continue }
      try? backing.exclusively { backing.invalidateState(core.editing) }
    }
  }
}

extension ContextCore {
  /// What the context keeps for data stores, made when it first asks one.
  var backed: BackedWork {
    if let known = participant(BackedWork.self) { return known }
    let made = BackedWork(self)
    add(made)
    return made
  }
}
