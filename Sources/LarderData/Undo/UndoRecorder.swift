internal import Foundation
internal import LarderSupport

/// Registers the changes of a context with an undo manager, one step at a time.
///
/// Nothing is recorded while objects change. At the end of a step, the pending objects that may have changed are compared
/// with their state at the end of the previous step. So a context without an undo manager has no work for it.
final class UndoRecorder: ContextParticipant {
  unowned let core: _ContextCore
  let manager: UndoManager
  /// The context with which steps are registered. The program may ask the manager to remove a context's actions.
  private let target: WeakHandle<ModelContext>

  /// The state of pending objects at the end of the last step, unless that was before the last save. Each of the objects is
  /// watched.
  var images: [RowKey: UndoImage] = [:]
  /// The pending deletions that a step has recorded already.
  var recordedDeletions: [RowKey: _EntityTracker] = [:]
  /// The rows that may have changed since the last step.
  var touchedRows = TouchedRows()
  /// The rows that the last step examined.
  var lastRowKeys: Set<RowKey> = []
  /// Existing rows to which an insert was resolved, with the number of saves before the latest such upsert. An earlier step
  /// has an insert that cannot be reverted.
  private var upsertedRows: [RowKey: Int] = [:]

  /// The number of steps that have ended.
  var stepCount = 0

  /// The number of saves of the context.
  private(set) var saveCount = 0

  /// The step that reverts the save in progress, as it was recorded before the save wrote.
  private var stepBeingSaved: StepRecording?
  /// The changes before the merge in progress.
  private var stepBeforeMerge: StepRecording?

  private var isBusy = false
  private var isTurnScheduled = false
  private var observer: (any NSObjectProtocol)?

  init(_ core: _ContextCore, _ manager: UndoManager, target: ModelContext) {
    self.core = core
    self.manager = manager
    self.target = target.weakHandle
    // Changes that are pending already are not registered.
    _ = recordStep()
    let recorder = WeakRecorder(recorder: self)
    observer = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in recorder.recorder?.register() }
  }

  // @unchecked: the manager posts on the thread or actor that uses it, to which its contexts belong.
  private struct WeakRecorder: @unchecked Sendable {
    weak var recorder: UndoRecorder?
  }

  /// Stops observing the manager: the context ends, or has another undo manager.
  func stopObserving() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }

  deinit { stopObserving() }

  // MARK: Steps

  /// Registers the changes since the last step.
  func register() {
    // A change in progress is registered once it is complete.
    guard !isBusy, !core.isDeferringNotifications else { return }
    guard let step = recordStep() else { return }
    register(step)
  }

  private func register(_ step: UndoStep) {
    guard !step.isEmpty, manager.isUndoRegistrationEnabled, let target = target.object else { return }
    let isAlone = manager.groupingLevel == 0 && !manager.groupsByEvent
    if isAlone { manager.beginUndoGrouping() }
    manager.registerUndo(withTarget: target) { $0.core.undo(step) }
    if isAlone { manager.endUndoGrouping() }
  }

  /// Ends a step: later changes are reverted by themselves, unless the caller groups them.
  func endStep() {
    register()
    closeAutomaticGroup()
  }

  /// Returns whether an object that a step inserted has since been resolved to an existing row.
  func wasUpserted(_ place: RowKey, _ change: ObjectChange) -> Bool {
    upsertedRows[place].map { change.saveCount <= $0 } ?? false
  }

  // MARK: Saves

  func processPendingChanges() { endStep() }

  func didSkipSave() { endStep() }

  func willSave() { stepBeingSaved = prepareStep() }

  func didSave(_ written: [EntityWriter]) {
    var step = stepBeingSaved
    for entityWriter in written {
      for union in entityWriter.resolvedUpserts where step?.discardInsert(of: union.object) != true {
        upsertedRows[RowKey(entityWriter.tracker, union.row)] = saveCount
      }
    }
    isBusy = true
    if let step { register(step.step) }
    isBusy = false
    saveCount += 1
    discardImages()
  }

  /// Discards all steps: a step that is saved in part cannot be reverted by itself.
  func didSavePartially() { didRollBack() }

  func didFinishSave() {
    closeAutomaticGroup()
    discardStepBeingSaved()
  }

  func didFailToSave() { discardStepBeingSaved() }

  private func discardStepBeingSaved() {
    // See ``LifetimeGuard``.
    let held = stepBeingSaved
    stepBeingSaved = nil
    withExtendedLifetime(held) {}
  }

  /// Closes the group that was opened for an action, so that later changes are reverted by themselves.
  private func closeAutomaticGroup() {
    #if !canImport(ObjectiveC)
      manager.closeAutomaticGroup()
    #endif
  }

  // MARK: Merges

  func willMerge() { stepBeforeMerge = core.hasChanges ? prepareStep() : nil }

  /// Ends the merge. Where it changed objects that were pending at the end of the last step, it is no step of its own, after
  /// which nothing could be redone. Within a step it is part of that step.
  func didFinishMerge() {
    guard let before = stepBeforeMerge else { return }
    stepBeforeMerge = nil
    touchedRows.touchAll()
    if before.step.isEmpty { _ = recordStep() }
  }

  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker) { touchedRows.touch(row, tracker) }

  func allRowsDidChange() { touchedRows.touchAll() }

  // MARK: Rollback and end

  /// Discards all steps: pending changes were dropped, so registered steps would begin from another state.
  func didRollBack() {
    discardImages()
    if let context = target.object { manager.removeAllActions(withTarget: context) }
  }

  func contextWillDeinit(_ context: ModelContext) { core.removeUndoManager(of: context) }

  /// Discards all steps, since they do not fit the present state. The pending changes become one step.
  func reset(_ context: ModelContext) {
    let held = images
    images.removeAll()
    recordedDeletions.removeAll()
    touchedRows.touchAll()
    manager.removeAllActions(withTarget: context)
    withExtendedLifetime(held) {}
  }

  func discardImages() {
    // See ``LifetimeGuard``.
    let held = images
    images.removeAll()
    recordedDeletions.removeAll()
    touchedRows.touchAll()
    lastRowKeys.removeAll()
    withExtendedLifetime(held) {}
  }

  /// Reverts a step, and registers the reversal for the redo.
  func perform(_ step: UndoStep) {
    if core.isDeferringNotifications { return core.relationships.deferredRequests.append(.work { $0.undo(step) }) }
    core.mergeRemoteChangesIfNeeded()
    core.deferringNotifications {
      isBusy = true
      defer { isBusy = false }
      do {
        // A to-one that an undo clears does not count as cleared explicitly.
        try core.withOperation(.restoring, !manager.isRedoing) {
          var reversal = StepReversal(step, core, self)
          try reversal.perform()
        }
      } catch {
        Log.warning("A step could not be taken back whole. \(error)")
        if core.pendingError == nil { core.pendingError = error }
      }
    }
    // Changes that observers made in response are reverted together with the step.
    register()
    core.deferringNotifications { pruneNoOpEdits(of: step) }
    core.pendingObjectsDidChange()
    core.mergeRemoteChangesIfNeeded()
  }

  /// Removes the marks of changed properties that have their original value again.
  private func pruneNoOpEdits(of step: UndoStep) {
    do {
      let places = try step.resolved(core).changes.map { RowKey(try core.tracker(for: $0.layout), $0.row) }
      var edits = NoOpEditPruning(core, rowKeys: Set(places), among: changedObjects(places))
      for (place, layout, mask) in try edits.prune() {
        images[place]?.removeEdits(mask, layout)
        if images[place]?.mask == 0 { images[place] = nil }
      }
      if !core.hasChanges { core.didClearChanges() }
    } catch {
      Log.warning(
        "What is as it was before counts as changed, since it could not be compared with what is stored. \(error)")
    }
  }

  /// Returns the changed objects of a step that was reverted, and those that the reversal touched.
  private func changedObjects(_ places: [RowKey]) -> [(model: any PersistentModel, tracker: _EntityTracker)] {
    if touchedRows.includesAll {
      return core.trackers.flatMap { tracker in tracker.changed.map { (tracker.erased($0), tracker) } }
    }
    let looked = lastRowKeys.union(places).union(touchedRows.trackers.keys)
    var result: [(model: any PersistentModel, tracker: _EntityTracker)] = []
    for place in looked {
      guard let root = core.trackers.first(where: { $0.layout.id == place.layoutID }), let object = root.find(place.row)
      else {
        continue
      }
      let model = root.erased(object)
      if model._$header.pointee.status.contains(.changed) { result.append((model, root.concreteTracker(model))) }
    }
    return result.sorted { $0.model._$header.pointee.changedIndex < $1.model._$header.pointee.changedIndex }
  }

  // MARK: Main-queue turns

  /// Schedules the end of the step: on the main thread, a change is part of the step of this turn of the main queue.
  func willChange() {
    guard !isTurnScheduled, !isBusy, MainQueue.isCurrent else { return }
    isTurnScheduled = true
    let recorder = WeakRecorder(recorder: self)
    DispatchQueue.main.async {
      recorder.recorder?.isTurnScheduled = false
      recorder.recorder?.register()
    }
  }
}

extension _ContextCore {
  /// The recorder that registers changes with an undo manager, if there is one.
  var undoRecorder: UndoRecorder? { participant() }

  fileprivate func undo(_ step: UndoStep) { undoRecorder?.perform(step) }
}
