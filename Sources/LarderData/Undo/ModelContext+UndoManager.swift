#if canImport(ObjectiveC)
  public import Foundation
#endif

extension ModelContext {
  /// The undo manager with which this context registers its changes. The default, `nil`, registers nothing.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// context.insert(Trip(remoteID: "1", name: "Paris", start: .now))
  /// try context.save()
  /// context.undoManager?.undo()  // the next save deletes the trip
  /// try context.save()
  /// ```
  ///
  /// Inserts, deletions with their consequences, and edits of attributes and of relationships are registered. A step
  /// consists of the changes between two saves or calls of ``processPendingChanges()``, and on the main thread of one turn
  /// of the main queue at most. ``UndoManager/beginUndoGrouping()`` and ``UndoManager/endUndoGrouping()`` make one step of
  /// several saves.
  ///
  /// An undo changes objects as a program does: the next ``save()`` stores the changes. Deleted objects come back with their
  /// identifiers. Changes that other contexts saved stay, except in the properties that the step changed. Objects that other
  /// contexts deleted stay deleted, and so do objects that must refer to them. Not registered are
  /// ``updateAndSave(_:where:changes:)``, and an insert that was resolved to an existing row.
  ///
  /// ``rollback()`` removes the steps that this context registered. Several contexts may share an undo manager, if they belong
  /// to the same thread or actor.
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
  /// Removes the steps that were registered for a context, which may be about to be deallocated.
  func removeUndoManager(of context: ModelContext) {
    guard let undoRecorder else { return }
    undoRecorder.stopObserving()
    undoRecorder.manager.removeAllActions(withTarget: context)
    remove(undoRecorder)
  }
}
