import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction: an edited row has another version than the context knows, and which of the edits
/// are still to be written must be found first.
// @unchecked: it is caught where it was thrown, in the save of the state's own context.
struct OutdatedRow: Error, @unchecked Sendable {
  let state: EntityState
  let row: Int64
  /// How often a save is tried before it gives way to somebody who writes the same rows all the time.
  static let attempts = 100
}

extension ContextCore {
  /// Brings an edited object in step with its row, as the merge policy says, so that the save can be tried again.
  func settle(_ outdated: OutdatedRow, attempt: Int) throws {
    let state = outdated.state
    guard attempt < OutdatedRow.attempts else {
      throw SaveError(
        .mergeConflict, entityName: state.layout.entityName,
        identifiers: [PersistentIdentifier(identity: state.identity, key: outdated.row, isSaved: true)],
        "\(state.layout.entityName) \(outdated.row) was changed by others each time that it was to be saved, "
          + "\(OutdatedRow.attempts) times in a row. Save again later. Nothing was written.")
    }
    noteOthersChanges(inbox.peek())
    defer { forgetOthersChanges() }
    // Others may have changed more of them.
    let rows = state.changed.map { state.erased($0)._$header.pointee.rowID }
    let present = Set(try refresh(rows, state.root).map { $0._$header.pointee.rowID })
    var vanishing = VanishingObjects(self)
    for row in rows where !present.contains(row) {
      if let object = state.find(row) { vanishing.add(state.erased(object)) }
    }
    try vanishing.leave()
    for state in known { state.dropUnchanged() }
  }
}

extension EntitySaving {
  /// An edit of a row that somebody else has changed, where that is to be refused.
  func conflictingEdit<Model: PersistentModel>(_ model: Model, _ mask: PropertyMask) throws -> SaveError {
    guard try isThere(model) else { return state.vanished(model._$header.pointee.rowID) }
    let names = state.layout.properties.filter { $0.bit & mask != 0 }.map(\.name)
    return conflict(
      model, names, "its \(names.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") edited here",
      "Roll back to see what is stored, or set another")
  }

  /// Refuses to delete rows that others have changed, where that is to be refused.
  func refuseOutdatedDeletions() throws {
    guard state.core.mergePolicy == .error else { return }
    for object in state.deleted {
      let model = state.erased(object)
      let header = model._$header
      guard let version = try version(of: header.pointee.rowID), version != header.pointee.version else { continue }
      throw conflict(model, [], "it is deleted here", "Roll back to keep it as it is stored, or set another")
    }
  }

  private func conflict(
    _ model: any PersistentModel, _ properties: [String], _ what: String, _ cure: String
  ) -> SaveError {
    let entity = state.layout.entityName
    let row = model._$header.pointee.rowID
    return SaveError(
      .mergeConflict, entityName: entity, properties: properties, identifiers: [identifier(row)],
      "\(entity) \(row) was changed by somebody else since it was read, and \(what). \(cure) mergePolicy and save "
        + "again. Nothing was written.")
  }

  func isThere(_ model: any PersistentModel) throws -> Bool {
    try state.isThere(model._$header.pointee.rowID, on: connection)
  }

  /// The version that a row has by now; nil where there is none.
  private func version(of row: Int64) throws -> Int64? { try state.version(of: row, on: connection) }
}

extension EntityState {
  func isThere(_ row: Int64, on connection: Connection) throws -> Bool { try version(of: row, on: connection) != nil }

  fileprivate func version(of row: Int64, on connection: Connection) throws -> Int64? {
    try connection.withStatement(for: statements.selectVersion) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.int64(0) : nil
    }
  }
}

extension ModelLayout {
  /// The attributes that have columns in the model's table.
  var attributeMask: PropertyMask {
    columns.reduce(0) { properties[$1.property].relation == nil ? $0 | ModelLayout.bit($1.property) : $0 }
  }
}
