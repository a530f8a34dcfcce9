import LarderSupport

/// A feature that follows what becomes of a context's pending changes: an undo manager's recorder, live lists, data stores.
///
/// A context calls its participants in the order in which they were added, in its own isolation. Each requirement has a
/// default that does nothing.
protocol ContextParticipant: AnyObject {
  // MARK: Changes

  /// Something pending is about to change: an object for the first time since the last save, or one that is watched.
  func pendingWillChange()
  /// Something pending came or went in another way than by an edit.
  func pendingDidChange()
  /// A watched object, a deletion or an insert may be another than before.
  func rowDidChange(_ row: Int64, _ state: EntityState)
  /// Anything pending may be another than before.
  func everythingDidChange()
  /// The program asks that what is pending is taken note of now.
  func processPendingChanges()

  // MARK: Saves

  /// A save is about to write what is pending. Called again where others' commits have changed that meanwhile.
  func saveBegins()
  /// What was pending is stored.
  func didSave(_ written: [EntitySaving])
  /// One store has committed, and another one has not: what is pending is what that one lacks.
  func didSaveInPart()
  /// A save that was ``didSave(_:)``, or ``didSaveInPart()``, is over.
  func saveEnded()
  /// A save has failed: what was pending still is.
  func saveFailed()
  /// A save was asked for, and there is nothing to write.
  func nothingToSave()

  // MARK: Others' changes

  /// What others have committed is about to be taken over.
  func mergeBegins()
  /// It is taken over, as far as it could be read.
  func mergeEnded()
  /// The same, once observers may be told.
  func didMerge()

  // MARK: Ends

  /// Everything pending was dropped.
  func didRollBack()
  /// Nothing is pending any more, after a save, a rollback or a merge.
  func pendingEnded()
  /// The context that the program has made goes, with what is pending.
  func contextEnds(_ context: ModelContext)
  /// It has gone.
  func contextEnded()
}

extension ContextParticipant {
  func pendingWillChange() {}
  func pendingDidChange() {}
  func rowDidChange(_ row: Int64, _ state: EntityState) {}
  func everythingDidChange() {}
  func processPendingChanges() {}
  func saveBegins() {}
  func didSave(_ written: [EntitySaving]) {}
  func didSaveInPart() {}
  func saveEnded() {}
  func saveFailed() {}
  func nothingToSave() {}
  func mergeBegins() {}
  func mergeEnded() {}
  func didMerge() {}
  func didRollBack() {}
  func pendingEnded() {}
  func contextEnds(_ context: ModelContext) {}
  func contextEnded() {}
}

extension ContextCore {
  func add(_ participant: some ContextParticipant) {
    participants.append(participant)
  }

  func remove(_ participant: some ContextParticipant) {
    // Kept until nothing is read of the list any more: the participant's end may run code of the program.
    let former = participants
    participants.removeAll { $0 === participant }
    withExtendedLifetime(former) {}
  }

  /// Returns the participant of a class of which a context has at most one.
  func participant<Participant: ContextParticipant>(_ type: Participant.Type = Participant.self) -> Participant? {
    for case let found as Participant in participants { return found }
    return nil
  }

  /// Something pending is about to change, in a context that has participants.
  func tellOfChange() { for one in participants { one.pendingWillChange() } }

  /// Something pending came or went in another way than by an edit.
  @inline(__always)
  func pendingChanged() { if hasParticipants { tellOfPendingChange() } }

  @inline(never)
  private func tellOfPendingChange() { for one in participants { one.pendingDidChange() } }

  /// A watched object, of whose edits each one counts, is about to change.
  func watchedChangeComes(of row: Int64, _ state: EntityState) {
    touch(row, state)
    tellOfChange()
  }

  /// Notes that an object, or a deletion, may be another than before.
  @inline(__always)
  func touch(_ row: Int64, _ state: EntityState) { if hasParticipants { tellOfRow(row, state) } }

  @inline(never)
  private func tellOfRow(_ row: Int64, _ state: EntityState) {
    for one in participants { one.rowDidChange(row, state) }
  }

  /// Notes that anything pending may be another than before.
  func touchAll() { for one in participants { one.everythingDidChange() } }
}

extension EntityState {
  /// Tells the participants that a watched object may have changed.
  func touch(_ model: any PersistentModel) {
    if model._$header.pointee.status.contains(.watched) { core.touch(model._$header.pointee.rowID, own(model)) }
  }
}
