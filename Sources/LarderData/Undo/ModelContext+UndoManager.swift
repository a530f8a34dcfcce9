#if canImport(ObjectiveC)
  public import Foundation
#endif

extension ModelContext {
  /// Takes back what changes in this context; nil, as it is unless it is set, for nothing.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// context.insert(Trip(remoteID: "1", name: "Paris", start: .now))
  /// try context.save()
  /// context.undoManager?.undo()  // the trip is to be deleted
  /// try context.save()
  /// ```
  ///
  /// Inserts, deletions and what follows from them, edits of attributes and of relationships are registered. A step is
  /// what changed between two saves or calls of ``processPendingChanges()``, and on the main thread not more than in one
  /// turn of the main queue; ``UndoManager/beginUndoGrouping()`` and ``UndoManager/endUndoGrouping()`` make several
  /// saves one step.
  ///
  /// An undo changes objects as a program does: the next ``save()`` stores it. What was deleted comes back under its own
  /// identifier. What others saved stays, but for the properties that the step changed; what they deleted stays away,
  /// and so does what must refer to that. Not registered are ``updateAndSave(_:where:changes:)``, and the insert of
  /// what turned out to be a row that was there.
  ///
  /// ``rollback()`` forgets what was registered here. Several contexts may share an undo manager, if they belong to the
  /// same thread or actor.
  public var undoManager: UndoManager? {
    get { core.undoRecorder?.manager }
    set {
      guard newValue !== core.undoRecorder?.manager else { return }
      core.removeUndoManager(of: self)
      if let newValue { core.add(UndoRecorder(core, newValue, target: self)) }
    }
  }
}

extension _ContextCore {
  /// Forgets what was registered for a context, which may be on its way out.
  func removeUndoManager(of context: ModelContext) {
    guard let undoRecorder else { return }
    undoRecorder.stopObserving()
    undoRecorder.manager.removeAllActions(withTarget: context)
    remove(undoRecorder)
  }
}
