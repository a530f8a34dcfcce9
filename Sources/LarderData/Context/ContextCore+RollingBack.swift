import LarderSupport

extension ContextCore {
  /// Forgets what is pending and restores what was edited.
  package func rollback() {
    // By a type's own coding, in the midst of a save or a fetch, or before the other end of a relationship is changed: once
    // that is done.
    if isQuiet || relationMarks.isChangingEnds { return relations.waiting.append(.rollback) }
    quietly {
      faultError = nil
      let held = rollBackStates()
      defer { withExtendedLifetime(held) {} }
      changesEnded()
      editsEnded()
      // What others saved of what was edited here.
      if hasOthersChanges, !isSaving, !worksForAStore { mergeOthers() }
      if let recorder { recorder.rolledBack(facade) }
      liveLists?.changeComes()
    }
  }

  /// - Returns: What there was of objects, to be held until nobody is at work any more.
  func rollBackStates() -> (states: [HeldUntilDone], relations: ContextRelations.Ended) {
    let pending = known.filter(\.hasChanges)
    let held = pending.map(HeldUntilDone.init)
    // Deletions that nobody has seen yet are not carried further.
    for state in pending { state.unspread.removeAll() }
    relationMarks.deletionsSpread()
    let forgotten = relations.deletionsForgotten()
    // While every object is still where its relationships look for it.
    for state in pending where state.layout.hasRelations {
      for object in state.inserted { state.detach(state.erased(object)) }
    }
    for state in pending { state.restoreRelations() }
    for state in pending { state.forgetMirrorsOfDeleted() }
    LeavingCircles.cut(
      among: pending.filter(\.layout.hasRelations).flatMap { state in
        state.inserted.map { (model: state.erased($0), state: state) }
      })
    for state in pending { state.rollback() }
    unloadListsWithPending()
    return (held, forgotten)
  }
}

extension EntityState {
  package func rollback() { rollback(layout.type) }

  private func rollback<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = inserted
    let changed = changed
    let deleted = deleted
    for index in 0..<undo.count where undo[index].bit != 0 {
      let entry = undo[index]
      let model = unsafeDowncast(changed[Int(entry.object)], to: Model.self)
      let source = RowSource(undo.values(of: index))
      model._$assign(RowReader(source: source, layout: layout, problems: RowProblems()), entry.bit)
    }
    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.status.remove(.changed)
      header.pointee.changed = 0
    }
    for object in deleted {
      unsafeDowncast(object, to: Model.self)._$header.pointee.status.remove(.deleted)
    }
    clearPending()
    for object in inserted { release(unsafeDowncast(object, to: Model.self)._$header, status: []) }
  }
}
