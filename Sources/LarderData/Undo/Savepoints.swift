internal import Foundation

/// The changes of the transactions within a transaction, as steps that can be reverted.
final class Savepoints: ContextParticipant {
  fileprivate let recorder: UndoRecorder
  fileprivate var steps: [UndoStep] = []
  /// Whether the changes before the merge in progress were recorded.
  private var hasEndedStep = false

  fileprivate init(_ core: _ContextCore) {
    let manager = UndoManager()
    // The steps are kept here.
    manager.disableUndoRegistration()
    recorder = UndoRecorder(core, manager, target: core.facade)
  }

  /// Records the changes since the last step.
  ///
  /// - Returns: Whether the changes could be determined.
  fileprivate func endStep() -> Bool {
    guard let step = recorder.recordStep() else { return false }
    if !step.isEmpty { steps.append(step) }
    return true
  }

  func rowDidChange(_ row: Int64, _ tracker: _EntityTracker) { recorder.rowDidChange(row, tracker) }
  func allRowsDidChange() { recorder.allRowsDidChange() }

  // A merge adopts changes that other contexts saved, which no inner transaction reverts.
  func willMerge() { hasEndedStep = endStep() }
  func didFinishMerge() { if hasEndedStep { _ = recorder.recordStep() } }

  func didRollBack() {
    recorder.discardImages()
    steps = []
  }
}

/// The state to which an inner transaction that throws returns.
struct Savepoint {
  /// The number of steps before the savepoint; `nil` if it could not be determined.
  fileprivate let stepCount: Int?
  fileprivate let pendingError: (any Error)?
  /// The number of steps that the context's undo recorder had recorded.
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

  /// Reverts the changes since a savepoint.
  ///
  /// - Returns: `false` if these changes could not be separated from earlier ones; then nothing is reverted.
  func rollBack(to savepoint: Savepoint) -> Bool {
    guard let count = savepoint.stepCount, let savepoints, savepoints.endStep() else { return false }
    pendingError = savepoint.pendingError
    for step in savepoints.steps.dropFirst(count).reversed() { savepoints.recorder.perform(step) }
    savepoints.steps.removeSubrange(min(count, savepoints.steps.count)...)
    // Steps that it registered since begin from a state that is gone.
    if let undoRecorder, undoRecorder.stepCount != savepoint.registeredStepCount { undoRecorder.reset(facade) }
    return true
  }

  /// Ends the outermost transaction: its inner transactions cannot be reverted by themselves any more.
  func endSavepoints() { if let savepoints { remove(savepoints) } }
}
