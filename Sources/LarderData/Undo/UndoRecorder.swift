internal import Foundation
internal import LarderSupport

/// Registers what changes in a context with an undo manager, a step at a time.
///
/// Nothing is noted while objects change: at the end of a step what may have changed of what is pending is compared with
/// what it was at the end of the one before. So a context without an undo manager has nothing to do for it.
final class UndoRecorder: ContextParticipant {
  unowned let core: _ContextCore
  let manager: UndoManager
  /// With whom steps are registered. Anybody may ask the manager to forget a context's actions.
  private let target: WeakHandle<ModelContext>

  /// What pending objects were at the end of the last step, unless that was before the last save. Each of them is watched.
  var images: [RowKey: UndoImage] = [:]
  /// The pending deletions of which a step tells already.
  var recordedDeletions: [RowKey: _EntityTracker] = [:]
  /// What may have changed since the last step.
  var touchedRows = TouchedRows()
  /// What the last step looked at.
  var lastRowKeys: Set<RowKey> = []
  /// Rows that were there when an insert met them, with the number of saves before the latest such: a step before that has
  /// an insert which is none that could be taken back.
  private var upsertedRows: [RowKey: Int] = [:]

  /// How many steps have ended.
  var stepCount = 0

  /// How often the context has saved.
  private(set) var saveCount = 0

  /// What the save that is under way is to be taken back by, as it was found before it was written.
  private var stepBeingSaved: StepRecording?
  /// What had changed before the merge that is under way.
  private var stepBeforeMerge: StepRecording?

  private var isBusy = false
  private var isTurnScheduled = false
  private var observer: (any NSObjectProtocol)?

  init(_ core: _ContextCore, _ manager: UndoManager, target: ModelContext) {
    self.core = core
    self.manager = manager
    self.target = target.weakHandle
    // What is pending by now is nobody's to take back.
    _ = recordStep()
    let recorder = WeakRecorder(recorder: self)
    observer = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in recorder.recorder?.register() }
  }

  // @unchecked: the manager posts where it is used, and it is used where its contexts are.
  private struct WeakRecorder: @unchecked Sendable {
    weak var recorder: UndoRecorder?
  }

  /// Forgets everything: the context goes, or has another undo manager.
  func stopObserving() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }

  deinit { stopObserving() }

  // MARK: Steps

  /// Registers what changed since the last step.
  func register() {
    // What is half done is registered when it is done.
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

  /// Ends a step: what changes from now on is taken back by itself, unless somebody groups it.
  func endStep() {
    register()
    closeAutomaticGroup()
  }

  /// Whether what came by a step was there before: its insert has met a row since.
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

  /// A step that is saved in part cannot be taken back by itself.
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

  /// What is registered from now on is taken back by itself.
  private func closeAutomaticGroup() {
    #if !canImport(ObjectiveC)
      manager.closeAutomaticGroup()
    #endif
  }

  // MARK: Others' changes

  func willMerge() { stepBeforeMerge = core.hasChanges ? prepareStep() : nil }

  /// As far as what others saved changes what was pending at the end of the last step, it is no step of its own, after which
  /// nothing could be redone. Within a step it is part of that.
  func didFinishMerge() {
    guard let before = stepBeforeMerge else { return }
    stepBeforeMerge = nil
    touchedRows.touchAll()
    if before.step.isEmpty { _ = recordStep() }
  }

  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker) { touchedRows.touch(row, tracker) }

  func allRowsDidChange() { touchedRows.touchAll() }

  // MARK: Ends

  /// Everything pending was dropped: what was registered would begin from another state.
  func didRollBack() {
    discardImages()
    if let context = target.object { manager.removeAllActions(withTarget: context) }
  }

  func contextWillDeinit(_ context: ModelContext) { core.removeUndoManager(of: context) }

  /// What was registered does not lead to what there is; what is pending is one step.
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

  /// Takes a step back; what that changes is registered for the redo.
  func perform(_ step: UndoStep) {
    if core.isDeferringNotifications { return core.relationships.deferredRequests.append(.work { $0.undo(step) }) }
    core.mergeRemoteChangesIfNeeded()
    core.deferringNotifications {
      isBusy = true
      defer { isBusy = false }
      do {
        // What an undo takes out of a to-one was not asked to be out of it.
        try core.withOperation(.restoring, !manager.isRedoing) {
          var reversal = StepReversal(step, core, self)
          try reversal.perform()
        }
      } catch {
        Log.warning("A step could not be taken back whole. \(error)")
        if core.pendingError == nil { core.pendingError = error }
      }
    }
    // What observers did about it is taken back together with it.
    register()
    core.deferringNotifications { pruneNoOpEdits(of: step) }
    core.pendingObjectsDidChange()
    core.mergeRemoteChangesIfNeeded()
  }

  /// What is as it was before it was changed counts as changed no more.
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

  /// The changed objects of a step that was taken back, and those that were touched by that.
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

  // MARK: Turns

  /// Something changes: on the main thread that is part of the step of this turn of the main queue.
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
  /// Registers what changes with an undo manager, where there is one.
  var undoRecorder: UndoRecorder? { participant() }

  fileprivate func undo(_ step: UndoStep) { undoRecorder?.perform(step) }
}
