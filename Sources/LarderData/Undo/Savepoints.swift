internal import Foundation

/// What the transactions within a transaction have done, by steps that can be taken back.
final class Savepoints: ContextParticipant {
  fileprivate let recorder: UndoRecorder
  fileprivate var steps: [UndoStep] = []
  /// Whether what changed before the merge that is under way is known.
  private var hasEndedStep = false

  fileprivate init(_ core: ContextCore) {
    let manager = UndoManager()
    // The steps are kept here.
    manager.disableUndoRegistration()
    recorder = UndoRecorder(core, manager, target: core.facade)
  }

  /// - Returns: Whether what has changed is known.
  fileprivate func endStep() -> Bool {
    guard let step = recorder.takeStep() else { return false }
    if !step.isEmpty { steps.append(step) }
    return true
  }

  func rowDidChange(_ row: Int64, _ state: EntityState) { recorder.rowDidChange(row, state) }
  func everythingDidChange() { recorder.everythingDidChange() }

  // What others saved is taken over, which no inner transaction takes back.
  func mergeBegins() { hasEndedStep = endStep() }
  func mergeEnded() { if hasEndedStep { _ = recorder.takeStep() } }

  func didRollBack() {
    recorder.forgetPending()
    steps = []
  }
}

/// The state to which an inner transaction that throws returns.
struct Savepoint {
  /// How many steps came before it; nil where that could not be found out.
  fileprivate let steps: Int?
  fileprivate let faultError: (any Error)?
  /// How many steps the context's undo manager knew of.
  fileprivate let registered: Int?
}

extension ContextCore {
  private var savepoints: Savepoints? { participant() }

  func beginSavepoint() -> Savepoint {
    var steps: Int?
    if let savepoints {
      if savepoints.endStep() { steps = savepoints.steps.count }
    } else {
      add(Savepoints(self))
      steps = 0
    }
    return Savepoint(steps: steps, faultError: faultError, registered: recorder?.stepsTaken)
  }

  /// Takes back what was done since a savepoint.
  ///
  /// - Returns: Whether that could be told from what was done before; else nothing is taken back.
  func takeBack(to savepoint: Savepoint) -> Bool {
    guard let count = savepoint.steps, let savepoints, savepoints.endStep() else { return false }
    faultError = savepoint.faultError
    for step in savepoints.steps.dropFirst(count).reversed() { savepoints.recorder.carryOut(step) }
    savepoints.steps.removeSubrange(min(count, savepoints.steps.count)...)
    // Steps that it registered lead to what is not there any more.
    if let recorder, recorder.stepsTaken != savepoint.registered { recorder.beginAnew(facade) }
    return true
  }

  /// The outermost transaction is over: nothing of it can be taken back by itself any more.
  func endSavepoints() { if let savepoints { remove(savepoints) } }
}
