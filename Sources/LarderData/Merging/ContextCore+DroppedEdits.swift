import LarderSQLite
import LarderSupport

// Edits of rows that other contexts have deleted are dropped. The log and the next save's notification report them.

extension _ContextCore {
  /// Records that the edits of a row are dropped because another context has deleted the row.
  func recordDroppedEdits(_ tracker: _EntityTracker, _ row: Int64) {
    Log.warning(
      "\(tracker.layout.entityName) \(row) was deleted elsewhere. What was edited of it here is dropped, and the rest is kept."
    )
    droppedEdits.append(tracker.savedIdentifier(row))
  }

  /// Posts the dropped edits if a save has nothing else to save.
  func notifyDroppedEdits() {
    if !droppedEdits.isEmpty, !options.isInternal { publish([]) }
  }

  /// Returns the identifiers of dropped edits for the next save's notification, and clears them.
  func drainDroppedEdits() -> [PersistentIdentifier] {
    defer { droppedEdits = [] }
    return droppedEdits
  }

  /// Throws if an edited object's own row was deleted. Called after a foreign key violation, for objects whose edits are all
  /// stored in other rows; the versions of other objects have been compared.
  func checkOwnersExist(_ trackers: [_EntityTracker], _ connection: Connection) throws {
    for tracker in trackers {
      for object in tracker.changed {
        let header = tracker.erased(object)._$header
        let mask = header.pointee.changedMask & ~tracker.layout.ephemeralMask
        guard mask != 0, mask & tracker.layout.storedMask == 0, !header.pointee.status.contains(.deleted),
          tracker.hasExplicitEdits(header)
        else { continue }
        let row = header.pointee.rowID
        if try !tracker.rowExists(row, on: connection) { throw tracker.deletedRowError(row) }
      }
    }
  }
}

extension _EntityTracker {
  /// Returns the identifier of a stored row.
  func savedIdentifier(_ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(identity: identity, key: row, isSaved: true)
  }

  /// Returns the error for edits whose row another context has deleted. Depending on the merge policy, the save fails, or it is
  /// retried without the edits.
  func deletedRowError(_ row: Int64) -> any Error {
    core.mergePolicy == .error ? remoteDeletionError(row) : StaleVersionConflict(tracker: self, row: row)
  }

  /// Returns the error for an edit of a row that another context has deleted.
  func remoteDeletionError(_ row: Int64) -> SaveError {
    SaveError(
      .rowDeleted, entityName: layout.entityName, identifiers: [savedIdentifier(row)],
      "\(layout.entityName) \(row) was edited here and deleted elsewhere. Roll back, or delete it here too. Nothing was "
        + "written.")
  }
}
