import LarderSQLite
import LarderSupport

// Edits of rows that others have deleted go with the rows. The log says so, and the next save's notification.

extension _ContextCore {
  /// Notes that what was edited of a row is dropped, because others have deleted the row.
  func recordDroppedEdits(_ tracker: _EntityTracker, _ row: Int64) {
    Log.warning(
      "\(tracker.layout.entityName) \(row) was deleted elsewhere. What was edited of it here is dropped, and the rest is kept."
    )
    droppedEdits.append(tracker.savedIdentifier(row))
  }

  /// Tells of edits that were dropped where nothing else is to be saved.
  func notifyDroppedEdits() {
    if !droppedEdits.isEmpty, !options.isInternal { publish([]) }
  }

  /// What the next save tells of edits that were dropped.
  func drainDroppedEdits() -> [PersistentIdentifier] {
    defer { droppedEdits = [] }
    return droppedEdits
  }

  /// Some row refers to one that is not there: looks for objects whose own rows are gone, among those of which everything that
  /// was edited lies in other rows. The others' versions have been compared.
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
  /// The identifier of a row that was stored.
  func savedIdentifier(_ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(identity: identity, key: row, isSaved: true)
  }

  /// What ends the writing of edits whose row others have deleted: an error, or that they go with the row and the save begins
  /// anew, as the merge policy says.
  func deletedRowError(_ row: Int64) -> any Error {
    core.mergePolicy == .error ? remoteDeletionError(row) : StaleVersionConflict(tracker: self, row: row)
  }

  /// The error of an edit of a row that others have deleted.
  func remoteDeletionError(_ row: Int64) -> SaveError {
    SaveError(
      .rowDeleted, entityName: layout.entityName, identifiers: [savedIdentifier(row)],
      "\(layout.entityName) \(row) was edited here and deleted elsewhere. Roll back, or delete it here too. Nothing was "
        + "written.")
  }
}
