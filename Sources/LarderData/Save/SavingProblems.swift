import CSQLite
public import LarderSQLite
public import LarderSupport

// The paths that a save takes only when a row is not simply written.

extension InsertingRows {
  /// A value of the object has no stored form.
  @usableFromInline
  @inline(never)
  func unstorable<Model: PersistentModel>(_ model: Model, _ binder: inout RowBinder) -> any Error {
    saving.unstorable(model, position: (binder.problem?.position ?? 2) - 2, mask: ~0, binder.problem?.reason ?? "")
  }

  /// The insert became an update, or met a row that already holds the same values.
  @usableFromInline
  @inline(never)
  func united<Model: PersistentModel>(_ model: Model) throws {
    let isChanged = sqlite3_changes(database) > 0
    let values = EntitySaving.values(of: model, saving.state.layout)
    guard let met = try saving.rows(withKeysOf: values).first else {
      throw saving.conflict(model, rows: [])
    }
    // What another class has in that row is none of this one's; and a data store's answer has two rows, not one.
    guard met.identity === saving.state.identity, saving.state.core.mode.unitesInserts else {
      throw saving.conflict(model, rows: [met])
    }
    saving.unite(model, row: met.row, version: met.version, isChanged: isChanged)
  }

  /// The insert was refused.
  @usableFromInline
  @inline(never)
  func failed<Model: PersistentModel>(_ code: Int32, _ model: Model) throws {
    let error = statement.failure(code)
    switch error.extendedCode {
    // Another program's row has the identifier that the object was given.
    case .primaryKey, .rowid: throw TakenRows(state: saving.state)
    case .unique:
      let values = EntitySaving.values(of: model, saving.state.layout)
      throw saving.conflict(model, rows: try saving.rows(withKeysOf: values))
    default: throw error
    }
  }
}

extension UpdatingRows {
  @usableFromInline
  @inline(never)
  func unstorable<Model: PersistentModel>(_ model: Model, _ binder: inout RowBinder, _ mask: PropertyMask) -> any Error
  {
    saving.unstorable(model, position: (binder.problem?.position ?? 1) - 1, mask: mask, binder.problem?.reason ?? "")
  }

  @usableFromInline
  @inline(never)
  func failed<Model: PersistentModel>(
    _ statement: Statement, _ code: Int32, _ model: Model, _ mask: PropertyMask
  ) -> any Error {
    let error = statement.failure(code)
    guard error.extendedCode == .unique else { return error }
    var values = EntitySaving.values(of: model, saving.state.layout)
    let own = model._$header.pointee.rowID
    do {
      try saving.readKeys(of: own, outside: mask, into: &values)
      return saving.conflict(model, rows: try saving.rows(withKeysOf: values).filter { $0.row != own })
    } catch {
      return error
    }
  }

  /// The row has another version than the context knows: somebody else has written it, or deleted it.
  ///
  /// - Returns: The properties that were written.
  @usableFromInline
  @inline(never)
  func outdated<Model: PersistentModel>(_ model: Model, _ mask: PropertyMask) throws -> PropertyMask {
    switch saving.state.core.mergePolicy {
    case .error:
      // Nothing of it was edited itself: it goes, as it has gone elsewhere.
      let isGone = try !saving.state.isEditedItself(model._$header) && !saving.isThere(model)
      if isGone { throw OutdatedRow(state: saving.state, row: model._$header.pointee.rowID) }
      throw try saving.conflictingEdit(model, mask)
    case .mergeByPropertyStoreTrump:
      // Which of them those are is found outside the transaction, where objects are brought in step with rows.
      throw OutdatedRow(state: saving.state, row: model._$header.pointee.rowID)
    case .mergeByPropertyObjectTrump:
      // Written with a property that shares its bit, one that others have changed would be taken back.
      // A to-one that lists have set may give way.
      let isShared = mask & ModelLayout.bit(ModelLayout.lastBit) != 0 && saving.state.layout.hasSharedBit
      if isShared || saving.state.isSetByLists(model, mask) {
        throw OutdatedRow(state: saving.state, row: model._$header.pointee.rowID)
      }
      try force(model, mask)
      return mask
    case .overwrite:
      if try saving.hasKeyThatGivesWay(model, mask) {
        throw OutdatedRow(state: saving.state, row: model._$header.pointee.rowID)
      }
      let all = mask | saving.state.layout.attributeMask
      try force(model, all)
      return all
    }
  }

  /// Nothing is written to the row of an object, so no version says that others have deleted it. It is looked for where they may
  /// have.
  @usableFromInline
  @inline(never)
  func refuseGone(_ header: UnsafeMutablePointer<ModelHeader.Fields>) throws {
    let state = saving.state
    let row = header.pointee.rowID
    guard state.root.leftBehind.contains(row) || state.core.inbox.hasMail, state.isEditedItself(header) else { return }
    if try !state.isThere(row, on: connection) { throw state.goneWithEdits(row) }
  }

  /// Writes properties of a row whatever its version; the others stay as somebody else left them.
  private func force<Model: PersistentModel>(_ model: Model, _ mask: PropertyMask) throws {
    let header = model._$header
    let row = header.pointee.rowID
    let forced = try connection.statement(for: saving.state.statements.forcedUpdate(mask))
    defer { forced.checkIn() }
    var binder = RowBinder(statement: forced, layout: saving.state.layout)
    model._$bind(&binder, mask)
    if binder.problem != nil { throw unstorable(model, &binder, mask) }
    forced.bind(binder.next, row)
    var code = forced.stepCode()
    if code != SQLITE_DONE, try setKeysAside(code, after: model, saving.state) {
      forced.reset()
      code = forced.stepCode()
    }
    if code != SQLITE_DONE { throw failed(forced, code, model, mask) }
    forced.reset()
    // The edit goes with its row; which else do is found outside the transaction.
    guard connection.changes > 0 else { throw OutdatedRow(state: saving.state, row: row) }
    // What the other wrote is not in the object yet: the next fetch reads it anew.
    saving.setVersion(StoreFormat.noVersion, of: row)
    saving.state.leaveBehind(row)
  }
}

extension EntitySaving {
  func unstorable<Model: PersistentModel>(
    _ model: Model, position: Int32, mask: PropertyMask, _ reason: String
  ) -> SaveError {
    let columns = state.layout.columns(in: mask)
    let place = Int(position)
    let name = columns.indices.contains(place) ? state.layout.properties[columns[place].property].name : "a property"
    let entity = state.layout.entityName
    return SaveError(
      .unstorableValue, entityName: entity, properties: [name], identifiers: [model.persistentModelID],
      "\(entity).\(name) cannot be saved: \(reason). Give it another value, or roll back. Nothing was written.")
  }

  func conflict<Model: PersistentModel>(
    _ model: Model, rows: [KeyedRow]
  ) -> SaveError {
    let layout = state.layout
    let names = rows.map { $0.group.map { layout.columns[$0].name }.joined(separator: ", ") }
    let others = rows.map { "\($0.identity.entity) \($0.row)" }
    let what =
      rows.isEmpty
      ? "a row that has the same key"
      : zip(others, names).map { "\($0) (by \($1))" }.joined(separator: " and ")
    return SaveError(
      .uniquenessConflict, entityName: layout.entityName, properties: names,
      identifiers: [model.persistentModelID]
        + rows.map { PersistentIdentifier(identity: $0.identity, key: $0.row, isSaved: true) },
      "\(layout.entityName) \(model._$header.pointee.rowID) would have the same key as \(what). Change the key, or "
        + "delete the row that is not wanted. Nothing was written.")
  }
}
