import LarderSupport

/// A feature that follows a context's pending changes: an undo manager's recorder, live lists, data stores.
///
/// A context calls its participants in the order in which they were added, in its own isolation. Each requirement has a
/// default that does nothing.
protocol ContextParticipant: AnyObject {
  // MARK: Changes

  /// Called before a pending change: the first change of an object since the last save, or a change of a watched object.
  func willChange()
  /// Called after a pending object was added or removed in another way than by an edit.
  func pendingObjectsDidChange()
  /// Called when a watched object, a deletion or an insert may have changed.
  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker)
  /// Called when any pending object may have changed.
  func allRowsDidChange()
  /// Called when the program requests that pending changes be processed now.
  func processPendingChanges()

  // MARK: Saves

  /// Called before a save writes the pending changes. Called again if commits of other contexts have changed them meanwhile.
  func willSave()
  /// Called after the pending changes were saved.
  func didSave(_ written: [EntityWriter])
  /// Called after one store has committed and another has failed: the changes for the failed store stay pending.
  func didSavePartially()
  /// Called at the end of a save that was reported to ``didSave(_:)`` or ``didSavePartially()``.
  func didFinishSave()
  /// Called after a save has failed: its changes are still pending.
  func didFailToSave()
  /// Called after a save that had nothing to write.
  func didSkipSave()

  // MARK: Merges

  /// Called before the commits of other contexts are merged.
  func willMerge()
  /// Called after the merge, as far as the rows could be read.
  func didFinishMerge()
  /// Called after the merge, once observers may be notified.
  func didNotifyMerge()

  // MARK: Rollback and release

  /// Called after all pending changes were dropped.
  func didRollBack()
  /// Called when no change is pending any more, after a save, a rollback or a merge.
  func didClearChanges()
  /// Called before the program's context is released, together with its pending changes.
  func contextWillDeinit(_ context: ModelContext)
  /// Called after the program's context was released.
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
    // Hold the old list while it may still be iterated: the participant's deinit may run code of the program.
    let former = participants
    participants.removeAll { $0 === participant }
    withExtendedLifetime(former) {}
  }

  /// Returns the participant of the specified class, of which a context has at most one.
  func participant<Participant: ContextParticipant>(_ type: Participant.Type = Participant.self) -> Participant? {
    for case let found as Participant in participants { return found }
    return nil
  }

  /// Notifies the participants before a pending change.
  func notifyParticipantsWillChange() { for one in participants { one.willChange() } }

  /// Notifies the participants of a pending object that was added or removed in another way than by an edit.
  @inline(__always)
  func pendingObjectsDidChange() { if hasParticipants { notifyPendingObjectsDidChange() } }

  @inline(never)
  private func notifyPendingObjectsDidChange() { for one in participants { one.pendingObjectsDidChange() } }

  /// Records a change of a watched object, for which each edit counts and not only the first.
  func trackedObjectWillChange(_ row: Int64, _ tracker: _EntityTracker) {
    markRowChanged(row, tracker)
    notifyParticipantsWillChange()
  }

  /// Notifies the participants that an object, or a deletion, may have changed.
  @inline(__always)
  func markRowChanged(_ row: Int64, _ tracker: _EntityTracker) {
    if hasParticipants { notifyRowDidChange(row, tracker) }
  }

  @inline(never)
  private func notifyRowDidChange(_ row: Int64, _ tracker: _EntityTracker) {
    for one in participants { one.rowDidChange(row, tracker) }
  }

  /// Notifies the participants that any pending object may have changed.
  func markAllRowsChanged() { for one in participants { one.allRowsDidChange() } }
}

extension _EntityTracker {
  /// Notifies the participants that a watched object may have changed.
  func markRowChanged(_ model: any PersistentModel) {
    if model._$header.pointee.status.contains(.changeTracked) {
      core.markRowChanged(model._$header.pointee.rowID, concreteTracker(model))
    }
  }
}
