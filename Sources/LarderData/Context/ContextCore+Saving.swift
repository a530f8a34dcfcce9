import Foundation
import LarderSQLite

extension ContextCore {
  /// Validate, write, hooks inside the transaction, commit, publish.
  ///
  /// - Parameter update: An update by predicate that is part of it.
  package func save() throws { try save(with: nil) }

  func save(with update: BatchWriting?) throws {
    // A save from an observer of `willSave` is part of the one that is under way.
    if let faultError, !isSaving { throw faultError }
    // Nor is there anything to be saved while it is taken back, which a type's own `init(from:)` may ask for.
    if isRollingBack, update == nil { return }
    if transactions.isUnderWay, !isSaving { return try saveWithinTransaction() }
    guard hasChanges || update != nil || !relations.lostLeads.isEmpty, !isSaving else {
      if !isSaving {
        tellVanished()
        for one in participants { one.nothingToSave() }
      }
      return
    }
    try refuseWhatMayNotBeSaved(update)
    try lookForOthersNow()
    catchUp()
    try refuseLostLeads()
    // What others saved may have been all that was to be saved.
    guard hasChanges || update != nil else {
      tellVanished()
      for one in participants { one.nothingToSave() }
      return
    }
    // A save by somebody who is told of this one is a save of its own, and comes after it.
    let outcome = try commit(update)
    if outcome.savings.contains(where: { !$0.parted.isEmpty }) { readParted() }
    publish(outcome.committed)
    announce()
    if let failure = outcome.failure { throw failure }
  }

  /// What made way inside the transaction is read as it is by now. Nobody is told before the save is published.
  private func readParted() {
    beginQuiet()
    mergeOthers()
    endQuiet()
  }

  func refuseWhatMayNotBeSaved(_ update: BatchWriting?) throws {
    // What a store has answered with is its own to allow.
    if mode.isInternal { return }
    let changed = known.filter(\.hasChanges) + (update.map { [$0.state] } ?? [])
    guard let fixed = changed.first(where: { !container.allowsSave($0.layout) }) else { return }
    throw SaveError(
      .savingNotAllowed, entityName: fixed.layout.entityName,
      "\(fixed.layout.entityName) lies in a store that was opened with allowsSave: false. Open it for saving, or roll back."
    )
  }

  /// The part of a save during which another one is this one: up to the commit, and the objects in step with it. Observers
  /// of objects are told after those of the save.
  private func commit(_ update: BatchWriting?) throws -> SaveOutcome {
    _ = activity.set(.saving, true)
    if !mode.isInternal { NotificationCenter.default.post(name: ModelContext.willSave, object: facade) }
    beginQuiet()
    do {
      let outcome = try commitQuietly(update)
      _ = activity.set(.saving, false)
      endQuiet()
      return outcome
    } catch {
      #if DEBUG
        _checkInvariants()
      #endif
      _ = activity.set(.saving, false)
      for one in participants { one.saveFailed() }
      endQuiet()
      announce()
      throw error
    }
  }

  private func commitQuietly(_ update: BatchWriting?) throws -> SaveOutcome {
    try spreadDeletions()
    try refuseWhatMayNotBeSaved(update)
    try validateRelations()
    saveBegins()
    let outcome = try write(update)
    let held = outcome.savings.map { HeldUntilDone($0.state) }
    defer { withExtendedLifetime(held) {} }
    #if DEBUG
      let touched = outcome.savings.flatMap(\.state._pending)
    #endif
    settle(outcome)
    let returnedHere = returned.settle()
    defer { withExtendedLifetime(returnedHere) {} }
    if outcome.failure == nil {
      for one in participants { one.didSave(outcome.savings) }
      relationMarks.isLoadedWithPending = false
    } else {
      for one in participants { one.didSaveInPart() }
    }
    if let update, outcome.hasCommitted(update.state.session) { update.settle() }
    if outcome.failure == nil {
      changesEnded()
      // What a value's own coding has edited meanwhile waits for the next save.
      if hasChanges { changeBegan() }
    }
    editsEnded()
    #if DEBUG
      if outcome.failure == nil {
        _checkNothingIsLeft(outcome.savings.map(\.state))
        OperationInvariants.check(self, touched)
      }
      _checkInvariants()
    #endif
    for one in participants { one.saveEnded() }
    // Who was shown what was pending is shown what became of it.
    pendingChanged()
    return outcome
  }

  /// What is pending is about to be written, and is what it is from here on.
  func saveBegins() { for one in participants { one.saveBegins() } }

  private func settle(_ outcome: SaveOutcome) {
    let savings = outcome.savings
    for saving in savings { saving.unloadLists() }
    for saving in savings { saving.renameRows() }
    detachingTogether { for saving in savings { saving.settleLeaving() } }
    LeavingCircles.cut(
      among: savings.map(\.state).filter(\.layout.hasRelations).flatMap { state in
        state.deleted.map { (model: state.erased($0), state: state) }
      })
    for saving in savings { saving.settle() }
    settleLists(after: savings)
  }

  func publish(_ committed: [StoreSaving]) {
    for saving in committed {
      saving.session.store.publish(saving.changes, from: inbox)
    }
    let changes = ChangeSet(entities: committed.flatMap(\.changes.entities), author: author)
    typealias Key = ModelContext.NotificationKey
    didPublish?(changes)
    savedTokens = tokens(of: committed)
    if mode.isInternal { return }
    var info: [AnyHashable: Any] = [
      Key.insertedIdentifiers.rawValue: changes.insertedIdentifiers,
      Key.updatedIdentifiers.rawValue: changes.updatedIdentifiers,
      Key.deletedIdentifiers.rawValue: changes.deletedIdentifiers,
      Key.historyTokens.rawValue: savedTokens,
      Key.queryGeneration.rawValue: DefaultHistoryToken(generation(of: savedTokens)),
    ]
    let vanished = takeVanishedEdits()
    if !vanished.isEmpty { info[ModelContext.vanishedIdentifiersKey] = vanished }
    NotificationCenter.default.post(name: ModelContext.didSave, object: facade, userInfo: info)
    for saving in committed { saving.handing?.takeOver() }
  }

  private func generation(of tokens: [String: any HistoryToken]) -> [String: Int64] {
    tokens.values.reduce(into: [:]) { numbers, token in
      if let own = token as? DefaultHistoryToken { numbers.merge(own.numbers) { max($0, $1) } }
    }
  }

  /// How far the history of each store is with a save.
  private func tokens(of committed: [StoreSaving]) -> [String: any HistoryToken] {
    committed.reduce(into: [:]) { tokens, saving in
      let identifier = saving.session.store.identifier
      if let handing = saving.handing {
        tokens[identifier] = handing.result.historyToken
      } else if let number = saving.changes.transaction {
        tokens[identifier] = DefaultHistoryToken([identifier: number])
      }
    }
  }
}
