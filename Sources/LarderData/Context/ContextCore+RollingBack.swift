import LarderSupport

extension ContextCore {
  /// Forgets what is pending and restores what was edited.
  package func rollback() {
    // By a type's own coding, in the midst of a save or a fetch, or before the other end of a relationship is changed: once
    // that is done.
    if isQuiet || isChangingEnds { return relations.waiting.append(.rollback) }
    quietly {
      faultError = nil
      vanishedEdits = []
      relations.lostLeads = [:]
      let held = (rollBackStates(), returned.settle())
      defer { withExtendedLifetime(held) {} }
      changesEnded()
      editsEnded()
      // What others saved of what was edited here.
      if hasOthersChanges, !isSaving, !worksForAStore { mergeOthers() }
      for one in participants { one.didRollBack() }
      transactions.rolledBack()
    }
  }

  /// - Returns: What there was of objects, to be held until nobody is at work any more.
  func rollBackStates() -> [RolledBack] {
    during(.rollingBack) {
      var held = [rollBackOnce()]
      // What a type's own coding has done meanwhile, in models that were done with already.
      for _ in 0..<ContextCore.mostRollbacks where known.contains(where: \.hasChanges) { held.append(rollBackOnce()) }
      return held
    }
  }

  typealias RolledBack = (states: [HeldUntilDone], relations: ContextRelations.Ended)

  /// One whose coding edits something each time that it is read is not rolled back for ever.
  private static let mostRollbacks = 8

  private func rollBackOnce() -> RolledBack {
    let pending = known.filter(\.hasChanges)
    let held = pending.map(HeldUntilDone.init)
    #if DEBUG
      let touched = pending.flatMap(\._pending)
    #endif
    // Deletions that nobody has seen yet are not carried further.
    for state in pending { state.unspread.removeAll() }
    relationMarks.deletionsSpread()
    let forgotten = relations.deletionsForgotten()
    // While every object is still where its relationships look for it.
    detachingTogether {
      for state in pending where state.layout.hasRelations {
        for object in state.inserted { state.detach(state.erased(object)) }
      }
    }
    // What was rolled back is what is stored, as the program knows.
    for state in known where !state.shownLists.isEmpty { state.shownLists.removeAll() }
    for state in pending { state.restoreRelations() }
    for state in pending { state.forgetMirrorsOfDeleted() }
    LeavingCircles.cut(
      among: pending.filter(\.layout.hasRelations).flatMap { state in
        state.inserted.map { (model: state.erased($0), state: state) }
      })
    for state in pending { state.rollback() }
    unloadListsWithPending()
    #if DEBUG
      _checkNothingIsLeft(pending)
      OperationInvariants.check(self, touched)
      _checkInvariants()
    #endif
    return (held, forgotten)
  }
}

extension EntityState {
  package func rollback() { rollback(layout.type) }

  private func rollback<Model: PersistentModel>(_ type: Model.Type) {
    let insertedCount = inserted.count
    restore(type)
    let (inserted, changed, deleted) = (inserted, changed, deleted)
    if layout.hasRelations {
      for object in inserted.dropFirst(insertedCount) { detach(unsafeDowncast(object, to: Model.self)) }
    }
    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.status.remove(.edited)
      header.pointee.changed = 0
    }
    for object in deleted {
      unsafeDowncast(object, to: Model.self)._$header.pointee.status.remove(.deleted)
    }
    clearPending()
    for object in inserted { release(unsafeDowncast(object, to: Model.self)._$header, status: []) }
  }

  /// Gives properties what they held before their first edit.
  ///
  /// A type's own `init(from:)` may do anything meanwhile. What it edits is entered anew, unless it is still to be restored,
  /// and its turn comes; entries may have other places then. So the lists are asked for each of them.
  private func restore<Model: PersistentModel>(_ type: Model.Type) {
    // One that edits something each time is not waited for.
    let most = undo.count * 2 + EntityState.mostLateEntries
    var (index, steps, clearings) = (0, 0, undo.clearings)
    while index < undo.count, steps < most {
      let entry = undo[index]
      (index, steps) = (index + 1, steps + 1)
      if entry.bit == 0 { continue }
      let model = unsafeDowncast(changed[Int(entry.object)], to: Model.self)
      let source = RowSource(undo.values(of: index - 1))
      model._$assign(RowReader(source: source, layout: layout, problems: RowProblems()), entry.bit)
      if undo.clearings != clearings {
        (index, clearings) = (0, undo.clearings)
      } else {
        model._$header.pointee.changed &= ~entry.bit
        pendingEnded()
      }
    }
  }

  private static var mostLateEntries: Int { 1_000 }
}
