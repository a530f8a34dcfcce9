internal import Foundation

/// What the transactions within a transaction have done, by steps that can be taken back.
final class Savepoints: ContextParticipant {
  fileprivate let recorder: UndoRecorder
  fileprivate var steps: [UndoStep] = []
  /// Whether what changed before the merge that is under way is known.
  private var hasEndedStep = false

  fileprivate init(_ core: _ContextCore) {
    let manager = UndoManager()
    // The steps are kept here.
    manager.disableUndoRegistration()
    recorder = UndoRecorder(core, manager, target: core.facade)
  }

  /// - Returns: Whether what has changed is known.
  fileprivate func endStep() -> Bool {
    guard let step = recorder.recordStep() else { return false }
    if !step.isEmpty { steps.append(step) }
    return true
  }

  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker) { recorder.rowDidChange(row, tracker) }
  func allRowsDidChange() { recorder.allRowsDidChange() }

  // What others saved is taken over, which no inner transaction takes back.
  func willMerge() { hasEndedStep = endStep() }
  func didFinishMerge() { if hasEndedStep { _ = recorder.recordStep() } }

  func didRollBack() {
    recorder.discardImages()
    steps = []
  }
}

/// The state to which an inner transaction that throws returns.
struct Savepoint {
  /// How many steps came before it; nil where that could not be found out.
  fileprivate let stepCount: Int?
  fileprivate let pendingError: (any Error)?
  /// How many steps the context's undo manager knew of.
  fileprivate let registeredStepCount: Int?
}

extension _ContextCore {
  private var savepoints: Savepoints? { participant() }

  func beginSavepoint() -> Savepoint {
    var steps: Int?
    if let savepoints {
      if savepoints.endStep() { steps = savepoints.steps.count }
    } else {
      add(Savepoints(self))
      steps = 0
    }
    return Savepoint(stepCount: steps, pendingError: pendingError, registeredStepCount: undoRecorder?.stepCount)
  }

  /// Takes back what was done since a savepoint.
  ///
  /// - Returns: Whether that could be told from what was done before; else nothing is taken back.
  func rollBack(to savepoint: Savepoint) -> Bool {
    guard let count = savepoint.stepCount, let savepoints, savepoints.endStep() else { return false }
    pendingError = savepoint.pendingError
    for step in savepoints.steps.dropFirst(count).reversed() { savepoints.recorder.perform(step) }
    savepoints.steps.removeSubrange(min(count, savepoints.steps.count)...)
    // Steps that it registered lead to what is not there any more.
    if let undoRecorder, undoRecorder.stepCount != savepoint.registeredStepCount { undoRecorder.reset(facade) }
    return true
  }

  /// The outermost transaction is over: nothing of it can be taken back by itself any more.
  func endSavepoints() { if let savepoints { remove(savepoints) } }
}
