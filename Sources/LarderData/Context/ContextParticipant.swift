import LarderSupport

/// A feature that follows what becomes of a context's pending changes: an undo manager's recorder, live lists, data stores.
///
/// A context calls its participants in the order in which they were added, in its own isolation. Each requirement has a
/// default that does nothing.
protocol ContextParticipant: AnyObject {
  // MARK: Changes

  /// Something pending is about to change: an object for the first time since the last save, or one that is watched.
  func willChange()
  /// Something pending came or went in another way than by an edit.
  func pendingObjectsDidChange()
  /// A watched object, a deletion or an insert may be another than before.
  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker)
  /// Anything pending may be another than before.
  func allRowsDidChange()
  /// The program asks that what is pending is taken note of now.
  func processPendingChanges()

  // MARK: Saves

  /// A save is about to write what is pending. Called again where others' commits have changed that meanwhile.
  func willSave()
  /// What was pending is stored.
  func didSave(_ written: [EntityWriter])
  /// One store has committed, and another one has not: what is pending is what that one lacks.
  func didSavePartially()
  /// A save that was ``didSave(_:)``, or ``didSavePartially()``, is over.
  func didFinishSave()
  /// A save has failed: what was pending still is.
  func didFailToSave()
  /// A save was asked for, and there is nothing to write.
  func didSkipSave()

  // MARK: Others' changes

  /// What others have committed is about to be taken over.
  func willMerge()
  /// It is taken over, as far as it could be read.
  func didFinishMerge()
  /// The same, once observers may be told.
  func didNotifyMerge()

  // MARK: Ends

  /// Everything pending was dropped.
  func didRollBack()
  /// Nothing is pending any more, after a save, a rollback or a merge.
  func didClearChanges()
  /// The context that the program has made goes, with what is pending.
  func contextWillDeinit(_ context: ModelContext)
  /// It has gone.
  func contextDidDeinit()
}

extension ContextParticipant {
  func willChange() {}
  func pendingObjectsDidChange() {}
  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker) {}
  func allRowsDidChange() {}
  func processPendingChanges() {}
  func willSave() {}
  func didSave(_ written: [EntityWriter]) {}
  func didSavePartially() {}
  func didFinishSave() {}
  func didFailToSave() {}
  func didSkipSave() {}
  func willMerge() {}
  func didFinishMerge() {}
  func didNotifyMerge() {}
  func didRollBack() {}
  func didClearChanges() {}
  func contextWillDeinit(_ context: ModelContext) {}
  func contextDidDeinit() {}
}

extension _ContextCore {
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
  func notifyParticipantsWillChange() { for one in participants { one.willChange() } }

  /// Something pending came or went in another way than by an edit.
  @inline(__always)
  func pendingObjectsDidChange() { if hasParticipants { notifyPendingObjectsDidChange() } }

  @inline(never)
  private func notifyPendingObjectsDidChange() { for one in participants { one.pendingObjectsDidChange() } }

  /// A watched object, of whose edits each one counts, is about to change.
  func trackedObjectWillChange(_ row: Int64, _ tracker: _EntityTracker) {
    markRowChanged(row, tracker)
    notifyParticipantsWillChange()
  }

  /// Notes that an object, or a deletion, may be another than before.
  @inline(__always)
  func markRowChanged(_ row: Int64, _ tracker: _EntityTracker) {
    if hasParticipants { notifyRowDidChange(row, tracker) }
  }

  @inline(never)
  private func notifyRowDidChange(_ row: Int64, _ tracker: _EntityTracker) {
    for one in participants { one.rowDidChange(row, tracker) }
  }

  /// Notes that anything pending may be another than before.
  func markAllRowsChanged() { for one in participants { one.allRowsDidChange() } }
}

extension _EntityTracker {
  /// Tells the participants that a watched object may have changed.
  func markRowChanged(_ model: any PersistentModel) {
    if model._$header.pointee.status.contains(.changeTracked) {
      core.markRowChanged(model._$header.pointee.rowID, concreteTracker(model))
    }
  }
}
