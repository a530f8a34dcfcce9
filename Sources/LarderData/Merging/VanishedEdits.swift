import LarderSQLite
import LarderSupport

// Edits of rows that others have deleted go with the rows. The log says so, and the next save's notification.

extension ContextCore {
  /// Notes that what was edited of a row is dropped, because others have deleted the row.
  func noteVanished(_ state: EntityState, _ row: Int64) {
    Log.warning(
      "\(state.layout.entityName) \(row) was deleted elsewhere. What was edited of it here is dropped, and the rest is kept."
    )
    vanishedEdits.append(state.savedIdentifier(row))
  }

  /// Tells of edits that were dropped where nothing else is to be saved.
  func tellVanished() {
    if !vanishedEdits.isEmpty, !mode.isInternal { publish([]) }
  }

  /// What the next save tells of edits that were dropped.
  func takeVanishedEdits() -> [PersistentIdentifier] {
    defer { vanishedEdits = [] }
    return vanishedEdits
  }

  /// Some row refers to one that is not there: looks for objects whose own rows are gone, among those of which everything that
  /// was edited lies in other rows. The others' versions have been compared.
  func refuseGoneOwners(_ states: [EntityState], _ connection: Connection) throws {
    for state in states {
      for object in state.changed {
        let header = state.erased(object)._$header
        let mask = header.pointee.changed & ~state.layout.ephemeralMask
        guard mask != 0, mask & state.layout.storedMask == 0, !header.pointee.status.contains(.deleted),
          state.isEditedItself(header)
        else { continue }
        let row = header.pointee.rowID
        if try !state.isThere(row, on: connection) { throw state.goneWithEdits(row) }
      }
    }
  }
}

extension EntityState {
  /// The identifier of a row that was stored.
  func savedIdentifier(_ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(identity: identity, key: row, isSaved: true)
  }

  /// What ends the writing of edits whose row others have deleted: an error, or that they go with the row and the save begins
  /// anew, as the merge policy says.
  func goneWithEdits(_ row: Int64) -> any Error {
    core.mergePolicy == .error ? vanished(row) : OutdatedRow(state: self, row: row)
  }

  /// The error of an edit of a row that others have deleted.
  func vanished(_ row: Int64) -> SaveError {
    SaveError(
      .vanishedRow, entityName: layout.entityName, identifiers: [savedIdentifier(row)],
      "\(layout.entityName) \(row) was edited here and deleted elsewhere. Roll back, or delete it here too. Nothing was "
        + "written.")
  }
}
