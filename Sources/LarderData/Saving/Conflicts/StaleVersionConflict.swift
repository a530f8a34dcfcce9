import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction if an edited row's version differs from the context's, and the context must first find
/// out which edits are still to be written.
// @unchecked: caught where it was thrown, in the save of the tracker's own context.
struct StaleVersionConflict: Error, @unchecked Sendable {
  let tracker: _EntityTracker
  let row: Int64
  /// The maximum number of attempts before the save fails, if another writer changes the same rows all the time.
  static let maximumAttempts = 100
}

extension _ContextCore {
  /// Merges an edited object with its row, as the merge policy requires, so that the save can be retried.
  func resolveStaleVersion(_ outdated: StaleVersionConflict, attempt: Int) throws {
    let tracker = outdated.tracker
    guard attempt < StaleVersionConflict.maximumAttempts else {
      throw SaveError(
        .mergeConflict, entityName: tracker.layout.entityName,
        identifiers: [PersistentIdentifier(identity: tracker.identity, key: outdated.row, isSaved: true)],
        "\(tracker.layout.entityName) \(outdated.row) was changed by others each time that it was to be saved, "
          + "\(StaleVersionConflict.maximumAttempts) times in a row. Save again later. Nothing was written.")
    }
    recordRemoteChanges(remoteChanges.peek())
    defer { clearRemoteChanges() }
    // Another context may have changed more of the edited rows.
    let rows = tracker.changed.map { tracker.erased($0)._$header.pointee.rowID }
    let present = Set(try refresh(rows, tracker.root).map { $0._$header.pointee.rowID })
    var vanishing = RemoteDeletions(self)
    for row in rows where !present.contains(row) {
      if let object = tracker.find(row) { vanishing.add(tracker.erased(object)) }
    }
    try vanishing.apply()
    for tracker in trackers { tracker.removeUnchanged() }
  }
}

extension EntityWriter {
  /// Returns the error for an edit of a row that another context has changed, for a policy that refuses such edits.
  func staleEditError<Model: PersistentModel>(_ model: Model, _ mask: _PropertyMask) throws -> SaveError {
    guard try rowExists(model) else { return tracker.remoteDeletionError(model._$header.pointee.rowID) }
    let names = tracker.layout.properties.filter { $0.bit & mask != 0 }.map(\.name)
    return mergeConflict(
      model, names, "its \(names.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") edited here",
      "Roll back to see what is stored, or set another")
  }

  /// Throws if a row to be deleted was changed by another context, for a policy that refuses such deletions.
  func checkStaleDeletions() throws {
    guard tracker.core.mergePolicy == .error else { return }
    for object in tracker.deleted {
      let model = tracker.erased(object)
      let header = model._$header
      guard let version = try version(of: header.pointee.rowID), version != header.pointee.version else { continue }
      throw mergeConflict(model, [], "it is deleted here", "Roll back to keep it as it is stored, or set another")
    }
  }

  private func mergeConflict(
    _ model: any PersistentModel, _ properties: [String], _ what: String, _ cure: String
  ) -> SaveError {
    let entity = tracker.layout.entityName
    let row = model._$header.pointee.rowID
    return SaveError(
      .mergeConflict, entityName: entity, properties: properties, identifiers: [identifier(row)],
      "\(entity) \(row) was changed by somebody else since it was read, and \(what). \(cure) mergePolicy and save "
        + "again. Nothing was written.")
  }

  func rowExists(_ model: any PersistentModel) throws -> Bool {
    try tracker.rowExists(model._$header.pointee.rowID, on: connection)
  }

  /// Returns the current version of a row; `nil` if the row does not exist.
  private func version(of row: Int64) throws -> Int64? { try tracker.version(of: row, on: connection) }
}

extension _EntityTracker {
  func rowExists(_ row: Int64, on connection: Connection) throws -> Bool { try version(of: row, on: connection) != nil }

  fileprivate func version(of row: Int64, on connection: Connection) throws -> Int64? {
    try connection.withStatement(for: statements.selectVersion) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.int64(0) : nil
    }
  }
}

extension _ModelLayout {
  /// The attributes that have columns in the entity's table.
  var attributeMask: _PropertyMask {
    columns.reduce(0) { properties[$1.property].relationship == nil ? $0 | _ModelLayout.bit($1.property) : $0 }
  }
}
