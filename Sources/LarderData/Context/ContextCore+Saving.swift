import Foundation
import LarderSQLite

extension _ContextCore {
  /// Validates, writes, runs the hooks inside the transaction, commits and publishes.
  package func save() throws { try save(with: nil) }

  func save(with update: BatchUpdateWriter?) throws {
    // A save from an observer of `willSave` is part of the save in progress.
    if let pendingError, !isSaving { throw pendingError }
    // A type's own `init(from:)` may ask for a save during a rollback, when there is nothing to save.
    if isRollingBack, update == nil { return }
    if transactionState.isActive, !isSaving { return try deferSaveInTransaction() }
    guard hasChanges || update != nil || !relationships.danglingReferences.isEmpty, !isSaving else {
      if !isSaving {
        notifyDroppedEdits()
        for one in participants { one.didSkipSave() }
      }
      return
    }
    try requireSavingAllowed(update)
    try pollExternalCommitsNow()
    mergeRemoteChangesIfNeeded()
    try checkDanglingReferences()
    // The merged commits of other contexts may have removed all pending changes.
    guard hasChanges || update != nil else {
      notifyDroppedEdits()
      for one in participants { one.didSkipSave() }
      return
    }
    // A save by an observer of this save is a separate save, which follows.
    let outcome = try commit(update)
    if outcome.entityWriters.contains(where: { !$0.nullifiedKeys.isEmpty }) { refreshNullifiedRows() }
    publish(outcome.committed)
    deliverNotifications()
    if let failure = outcome.failure { throw failure }
  }

  /// Refreshes the rows that were set to NULL inside the transaction. Observers are notified after the save is published.
  private func refreshNullifiedRows() {
    beginDeferringNotifications()
    mergeRemoteChanges()
    endDeferringNotifications()
  }

  func requireSavingAllowed(_ update: BatchUpdateWriter?) throws {
    // A data store decides itself about the rows that it returns.
    if options.isInternal { return }
    let changed = trackers.filter(\.hasChanges) + (update.map { [$0.tracker] } ?? [])
    guard let fixed = changed.first(where: { !container.allowsSave($0.layout) }) else { return }
    throw SaveError(
      .savingNotAllowed, entityName: fixed.layout.entityName,
      "\(fixed.layout.entityName) lies in a store that was opened with allowsSave: false. Open it for saving, or roll back."
    )
  }

  /// Performs the part of a save into which a nested save is folded: up to the commit and the update of the objects.
  /// Observers of objects are notified after observers of the save.
  private func commit(_ update: BatchUpdateWriter?) throws -> SaveOutcome {
    _ = activity.set(.entityWriter, to: true)
    if !options.isInternal { NotificationCenter.default.post(name: ModelContext.willSave, object: facade) }
    beginDeferringNotifications()
    do {
      let outcome = try commitDeferringNotifications(update)
      _ = activity.set(.entityWriter, to: false)
      endDeferringNotifications()
      return outcome
    } catch {
      #if DEBUG
        _checkInvariants()
      #endif
      _ = activity.set(.entityWriter, to: false)
      for one in participants { one.didFailToSave() }
      endDeferringNotifications()
      deliverNotifications()
      throw error
    }
  }

  private func commitDeferringNotifications(_ update: BatchUpdateWriter?) throws -> SaveOutcome {
    try propagateDeletions()
    try requireSavingAllowed(update)
    try validateRelationships()
    notifyWillSave()
    let outcome = try writeRetryingConflicts(update)
    let held = outcome.entityWriters.map { LifetimeGuard($0.tracker) }
    defer { withExtendedLifetime(held) {} }
    #if DEBUG
      let touched = outcome.entityWriters.flatMap(\.tracker._pendingObjects)
    #endif
    applyCommit(outcome)
    let returnedHere = reinsertedRows.removeFinished()
    defer { withExtendedLifetime(returnedHere) {} }
    if outcome.failure == nil {
      for one in participants { one.didSave(outcome.entityWriters) }
      relationMarks.hasProvisionalLoads = false
    } else {
      for one in participants { one.didSavePartially() }
    }
    if let update, outcome.hasCommitted(update.tracker.session) { update.applyCommit() }
    if outcome.failure == nil {
      didClearChanges()
      // Edits that a value's own coding has made meanwhile wait for the next save.
      if hasChanges { willChange() }
    }
    scheduleStaleRefresh()
    #if DEBUG
      if outcome.failure == nil {
        _checkNoChangesRemain(in: outcome.entityWriters.map(\.tracker))
        OperationInvariants.check(self, touched)
      }
      _checkInvariants()
    #endif
    for one in participants { one.didFinishSave() }
    // Live results that showed pending objects now show the saved ones.
    pendingObjectsDidChange()
    return outcome
  }

  /// Notifies the participants that the pending changes are about to be written, and are final.
  func notifyWillSave() { for one in participants { one.willSave() } }

  private func applyCommit(_ outcome: SaveOutcome) {
    let entityWriters = outcome.entityWriters
    for entityWriter in entityWriters { entityWriter.unloadStaleLists() }
    for entityWriter in entityWriters { entityWriter.updateReferences() }
    withMembershipCache { for entityWriter in entityWriters { entityWriter.detachDeleted() } }
    RetainCycleBreaking.breakCycles(
      among: entityWriters.map(\.tracker).filter(\.layout.hasRelations).flatMap { tracker in
        tracker.deleted.map { (model: tracker.erased($0), tracker: tracker) }
      })
    for entityWriter in entityWriters { entityWriter.applyCommit() }
    invalidateLists(after: entityWriters)
  }

  func publish(_ committed: [CommittedChanges]) {
    for entityWriter in committed {
      entityWriter.session.store.publish(entityWriter.changes, from: remoteChanges)
    }
    let changes = ChangeSet(entities: committed.flatMap(\.changes.entities), author: author)
    typealias Key = ModelContext.NotificationKey
    didPublish?(changes)
    savedTokens = tokens(of: committed)
    if options.isInternal { return }
    var info: [AnyHashable: Any] = [
      Key.insertedIdentifiers.rawValue: changes.insertedIdentifiers,
      Key.updatedIdentifiers.rawValue: changes.updatedIdentifiers,
      Key.deletedIdentifiers.rawValue: changes.deletedIdentifiers,
      Key.historyTokens.rawValue: savedTokens,
      Key.queryGeneration.rawValue: DefaultHistoryToken(generation(of: savedTokens)),
    ]
    let vanished = drainDroppedEdits()
    if !vanished.isEmpty { info[ModelContext.droppedEditIdentifiersKey] = vanished }
    NotificationCenter.default.post(name: ModelContext.didSave, object: facade, userInfo: info)
    for entityWriter in committed { entityWriter.delegation?.importReregistered() }
  }

  private func generation(of tokens: [String: any HistoryToken]) -> [String: Int64] {
    tokens.values.reduce(into: [:]) { numbers, token in
      if let own = token as? DefaultHistoryToken { numbers.merge(own.numbers) { max($0, $1) } }
    }
  }

  /// Returns the position of a save in the history of each store.
  private func tokens(of committed: [CommittedChanges]) -> [String: any HistoryToken] {
    committed.reduce(into: [:]) { tokens, entityWriter in
      let identifier = entityWriter.session.store.identifier
      if let delegation = entityWriter.delegation {
        tokens[identifier] = delegation.result.historyToken
      } else if let number = entityWriter.changes.transaction {
        tokens[identifier] = DefaultHistoryToken([identifier: number])
      }
    }
  }
}
