import LarderSupport

extension _ContextCore {
  /// Drops pending changes and restores the original values of edited properties.
  package func rollback() {
    // A call from a type's own coding, during a save or a fetch, or before the other end of a relationship is changed, is
    // deferred until that work is done.
    if isDeferringNotifications || isUpdatingRelationship { return relationships.deferredRequests.append(.rollback) }
    deferringNotifications {
      pendingError = nil
      droppedEdits = []
      relationships.danglingReferences = [:]
      let held = (rollBackTrackers(), reinsertedRows.removeFinished())
      defer { withExtendedLifetime(held) {} }
      didClearChanges()
      scheduleStaleRefresh()
      // Merge the commits of other contexts that touch properties edited here.
      if hasRemoteChanges, !isSaving, !servesStorageBackend { mergeRemoteChanges() }
      for one in participants { one.didRollBack() }
      transactionState.recordRollback()
    }
  }

  /// - Returns: The released objects, which the caller holds until no operation uses them.
  func rollBackTrackers() -> [RollbackLifetimes] {
    withOperation(.rollingBack) {
      var held = [performRollbackPass()]
      // A type's own coding may meanwhile edit models that were already rolled back.
      for _ in 0..<_ContextCore.maximumRollbackPasses where trackers.contains(where: \.hasChanges) {
        held.append(performRollbackPass())
      }
      return held
    }
  }

  typealias RollbackLifetimes = (trackers: [LifetimeGuard], relationships: RelationshipState.EndedChanges)

  /// The maximum number of passes: a type whose coding edits a model at each read would otherwise never end.
  private static let maximumRollbackPasses = 8

  private func performRollbackPass() -> RollbackLifetimes {
    let pending = trackers.filter(\.hasChanges)
    let held = pending.map(LifetimeGuard.init)
    #if DEBUG
      let touched = pending.flatMap(\._pendingObjects)
    #endif
    // Deletions that no observer has seen yet are not propagated further.
    for tracker in pending { tracker.pendingPropagation.removeAll() }
    relationMarks.endPropagation()
    let forgotten = relationships.removeDeletions()
    // Detach inserted objects while every object is still where its relationships look for it.
    withMembershipCache {
      for tracker in pending where tracker.layout.hasRelations {
        for object in tracker.inserted { tracker.detach(tracker.erased(object)) }
      }
    }
    // After a rollback the program knows that the stored values are current.
    for tracker in trackers where !tracker.lastReadLists.isEmpty { tracker.lastReadLists.removeAll() }
    for tracker in pending { tracker.restoreOriginalRelationships() }
    for tracker in pending { tracker.invalidateInverseKeysOfDeleted() }
    RetainCycleBreaking.breakCycles(
      among: pending.filter(\.layout.hasRelations).flatMap { tracker in
        tracker.inserted.map { (model: tracker.erased($0), tracker: tracker) }
      })
    for tracker in pending { tracker.rollback() }
    unloadProvisionalToManys()
    #if DEBUG
      _checkNoChangesRemain(in: pending)
      OperationInvariants.check(self, touched)
      _checkInvariants()
    #endif
    return (held, forgotten)
  }
}

extension _EntityTracker {
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
      header.pointee.changedMask = 0
    }
    for object in deleted {
      unsafeDowncast(object, to: Model.self)._$header.pointee.status.remove(.deleted)
    }
    clearPending()
    for object in inserted { release(unsafeDowncast(object, to: Model.self)._$header, status: []) }
  }

  /// Restores the original values of edited properties.
  ///
  ///
  /// A type's own `init(from:)` may run any code meanwhile. The properties that it edits are recorded anew, unless they are
  /// still to be restored, and are restored in turn; entries may move then. So each step reads the lists again.
  private func restore<Model: PersistentModel>(_ type: Model.Type) {
    // Limit the steps: a type may edit a property at each read.
    let most = originalValues.count * 2 + _EntityTracker.maximumReentrantEntries
    var (index, steps, clearings) = (0, 0, originalValues.renumberings)
    while index < originalValues.count, steps < most {
      let entry = originalValues[index]
      (index, steps) = (index + 1, steps + 1)
      if entry.bit == 0 { continue }
      let model = unsafeDowncast(changed[Int(entry.objectIndex)], to: Model.self)
      let source = _RowSource(originalValues.values(of: index - 1))
      model._$assign(_RowReader(source: source, layout: layout, problems: _RowProblems()), entry.bit)
      if originalValues.renumberings != clearings {
        (index, clearings) = (0, originalValues.renumberings)
      } else {
        model._$header.pointee.changedMask &= ~entry.bit
        invalidatePendingIndexes()
      }
    }
  }

  private static var maximumReentrantEntries: Int { 1_000 }
}
