internal import Foundation
internal import LarderSupport

/// Registers what changes in a context with an undo manager, a step at a time.
///
/// Nothing is noted while objects change: at the end of a step what may have changed of what is pending is compared with
/// what it was at the end of the one before. So a context without an undo manager has nothing to do for it.
final class UndoRecorder: ContextParticipant {
  unowned let core: ContextCore
  let manager: UndoManager
  /// With whom steps are registered. Anybody may ask the manager to forget a context's actions.
  private let target: Tether<ModelContext>

  /// What pending objects were at the end of the last step, unless that was before the last save. Each of them is watched.
  var images: [RowPlace: UndoImage] = [:]
  /// The pending deletions of which a step tells already.
  var deletions: [RowPlace: EntityState] = [:]
  /// What may have changed since the last step.
  var touched = TouchedRows()
  /// What the last step looked at.
  var lastPlaces: Set<RowPlace> = []
  /// Rows that were there when an insert met them, with the number of saves before the latest such: a step before that has
  /// an insert which is none that could be taken back.
  private var united: [RowPlace: Int] = [:]

  /// How many steps have ended.
  var stepsTaken = 0

  /// How often the context has saved.
  private(set) var saves = 0

  /// What the save that is under way is to be taken back by, as it was found before it was written.
  private var savedStep: StepRecording?
  /// What had changed before the merge that is under way.
  private var stepBeforeMerge: StepRecording?

  private var isBusy = false
  private var isTurnAwaited = false
  private var observer: (any NSObjectProtocol)?

  init(_ core: ContextCore, _ manager: UndoManager, target: ModelContext) {
    self.core = core
    self.manager = manager
    self.target = target.tether
    // What is pending by now is nobody's to take back.
    _ = takeStep()
    let recorder = Unwatched(recorder: self)
    observer = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in recorder.recorder?.register() }
  }

  // @unchecked: the manager posts where it is used, and it is used where its contexts are.
  private struct Unwatched: @unchecked Sendable {
    weak var recorder: UndoRecorder?
  }

  /// Forgets everything: the context goes, or has another undo manager.
  func end() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }

  deinit { end() }

  // MARK: Steps

  /// Registers what changed since the last step.
  func register() {
    // What is half done is registered when it is done.
    guard !isBusy, !core.isQuiet else { return }
    guard let step = takeStep() else { return }
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
    closeStep()
  }

  /// Whether what came by a step was there before: its insert has met a row since.
  func hasMet(_ place: RowPlace, _ change: ObjectChange) -> Bool { united[place].map { change.saves <= $0 } ?? false }

  // MARK: Saves

  func processPendingChanges() { endStep() }

  func nothingToSave() { endStep() }

  func saveBegins() { savedStep = prepareStep() }

  func didSave(_ written: [EntitySaving]) {
    var step = savedStep
    for saving in written {
      for union in saving.unions where step?.forgetInsert(of: union.object) != true {
        united[RowPlace(saving.state, union.row)] = saves
      }
    }
    isBusy = true
    if let step { register(step.step) }
    isBusy = false
    saves += 1
    forgetPending()
  }

  /// A step that is saved in part cannot be taken back by itself.
  func didSaveInPart() { didRollBack() }

  func saveEnded() {
    closeStep()
    forgetSavedStep()
  }

  func saveFailed() { forgetSavedStep() }

  private func forgetSavedStep() {
    // See ``HeldUntilDone``.
    let held = savedStep
    savedStep = nil
    withExtendedLifetime(held) {}
  }

  /// What is registered from now on is taken back by itself.
  private func closeStep() {
    #if !canImport(ObjectiveC)
      manager.closeAutomaticGroup()
    #endif
  }

  // MARK: Others' changes

  func mergeBegins() { stepBeforeMerge = core.hasChanges ? prepareStep() : nil }

  /// As far as what others saved changes what was pending at the end of the last step, it is no step of its own, after which
  /// nothing could be redone. Within a step it is part of that.
  func mergeEnded() {
    guard let before = stepBeforeMerge else { return }
    stepBeforeMerge = nil
    touched.touchAll()
    if before.step.isEmpty { _ = takeStep() }
  }

  func rowDidChange(_ row: Int64, _ state: EntityState) { touched.touch(row, state) }

  func everythingDidChange() { touched.touchAll() }

  // MARK: Ends

  /// Everything pending was dropped: what was registered would begin from another state.
  func didRollBack() {
    forgetPending()
    if let context = target.object { manager.removeAllActions(withTarget: context) }
  }

  func contextEnds(_ context: ModelContext) { core.forgetUndo(of: context) }

  /// What was registered does not lead to what there is; what is pending is one step.
  func beginAnew(_ context: ModelContext) {
    let held = images
    images.removeAll()
    deletions.removeAll()
    touched.touchAll()
    manager.removeAllActions(withTarget: context)
    withExtendedLifetime(held) {}
  }

  func forgetPending() {
    // See ``HeldUntilDone``.
    let held = images
    images.removeAll()
    deletions.removeAll()
    touched.touchAll()
    lastPlaces.removeAll()
    withExtendedLifetime(held) {}
  }

  /// Takes a step back; what that changes is registered for the redo.
  func carryOut(_ step: UndoStep) {
    if core.isQuiet { return core.relations.waiting.append(.work { $0.undo(step) }) }
    core.catchUp()
    core.quietly {
      isBusy = true
      defer { isBusy = false }
      do {
        // What an undo takes out of a to-one was not asked to be out of it.
        try core.during(.restoring, !manager.isRedoing) {
          var reversal = StepReversal(step, core, self)
          try reversal.run()
        }
      } catch {
        Log.warning("A step could not be taken back whole. \(error)")
        if core.faultError == nil { core.faultError = error }
      }
    }
    // What observers did about it is taken back together with it.
    register()
    core.quietly { dropIdleEdits(of: step) }
    core.pendingChanged()
    core.catchUp()
  }

  /// What is as it was before it was changed counts as changed no more.
  private func dropIdleEdits(of step: UndoStep) {
    do {
      let places = try step.resolved(core).changes.map { RowPlace(try core.state(for: $0.layout), $0.row) }
      var edits = IdleEdits(core, of: Set(places), among: changedObjects(places))
      for (place, layout, mask) in try edits.drop() {
        images[place]?.forget(mask, layout)
        if images[place]?.mask == 0 { images[place] = nil }
      }
      if !core.hasChanges { core.changesEnded() }
    } catch {
      Log.warning(
        "What is as it was before counts as changed, since it could not be compared with what is stored. \(error)")
    }
  }

  /// The changed objects of a step that was taken back, and those that were touched by that.
  private func changedObjects(_ places: [RowPlace]) -> [(model: any PersistentModel, state: EntityState)] {
    if touched.areAll { return core.known.flatMap { state in state.changed.map { (state.erased($0), state) } } }
    let looked = lastPlaces.union(places).union(touched.states.keys)
    var result: [(model: any PersistentModel, state: EntityState)] = []
    for place in looked {
      guard let root = core.known.first(where: { $0.layout.id == place.layout }), let object = root.find(place.row)
      else {
        continue
      }
      let model = root.erased(object)
      if model._$header.pointee.status.contains(.changed) { result.append((model, root.own(model))) }
    }
    return result.sorted { $0.model._$header.pointee.place < $1.model._$header.pointee.place }
  }

  // MARK: Turns

  /// Something changes: on the main thread that is part of the step of this turn of the main queue.
  func pendingWillChange() {
    guard !isTurnAwaited, !isBusy, MainTurn.isUnderWay else { return }
    isTurnAwaited = true
    let recorder = Unwatched(recorder: self)
    DispatchQueue.main.async {
      recorder.recorder?.isTurnAwaited = false
      recorder.recorder?.register()
    }
  }
}

extension ContextCore {
  /// Registers what changes with an undo manager, where there is one.
  var recorder: UndoRecorder? { participant() }

  fileprivate func undo(_ step: UndoStep) { recorder?.carryOut(step) }
}
