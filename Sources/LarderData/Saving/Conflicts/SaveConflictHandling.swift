import CSQLite
public import LarderSQLite
public import LarderSupport

// The slow paths of a save, for rows that a plain statement cannot write.

extension RowInserter {
  /// Returns the error for a value of the object that has no stored form.
  @usableFromInline
  @inline(never)
  func unstorableValueError<Model: PersistentModel>(_ model: Model, _ binder: inout _RowBinder) -> any Error {
    entityWriter.unstorableValueError(
      model, position: (binder.firstProblem?.position ?? 2) - 2, mask: ~0, binder.firstProblem?.reason ?? "")
  }

  /// Resolves an insert that became an update, or that met a row with the same values.
  @usableFromInline
  @inline(never)
  func resolveUpsert<Model: PersistentModel>(_ model: Model) throws {
    let isChanged = sqlite3_changes(database) > 0
    let values = EntityWriter.values(of: model, entityWriter.tracker.layout)
    guard let met = try entityWriter.rows(withKeysOf: values).first else {
      throw entityWriter.uniquenessConflict(model, rows: [])
    }
    // A row of another class is no upsert of this one; and a data store's answer has two separate rows.
    guard met.identity === entityWriter.tracker.identity, entityWriter.tracker.core.options.resolvesUpserts else {
      throw entityWriter.uniquenessConflict(model, rows: [met])
    }
    entityWriter.resolveUpsert(model, row: met.row, version: met.version, isChanged: isChanged)
  }

  /// Handles an insert that SQLite has refused.
  @usableFromInline
  @inline(never)
  func handleFailure<Model: PersistentModel>(_ code: Int32, _ model: Model) throws {
    let error = statement.failure(code)
    switch error.extendedCode {
    // Another program's row has the row ID of the object.
    case .primaryKey, .rowid: throw RowIDCollision(tracker: entityWriter.tracker)
    case .unique:
      let values = EntityWriter.values(of: model, entityWriter.tracker.layout)
      throw entityWriter.uniquenessConflict(model, rows: try entityWriter.rows(withKeysOf: values))
    default: throw error
    }
  }
}

extension RowUpdater {
  @usableFromInline
  @inline(never)
  func unstorableValueError<Model: PersistentModel>(_ model: Model, _ binder: inout _RowBinder, _ mask: _PropertyMask)
    -> any Error
  {
    entityWriter.unstorableValueError(
      model, position: (binder.firstProblem?.position ?? 1) - 1, mask: mask, binder.firstProblem?.reason ?? "")
  }

  @usableFromInline
  @inline(never)
  func updateError<Model: PersistentModel>(
    _ statement: Statement, _ code: Int32, _ model: Model, _ mask: _PropertyMask
  ) -> any Error {
    let error = statement.failure(code)
    guard error.extendedCode == .unique else { return error }
    var values = EntityWriter.values(of: model, entityWriter.tracker.layout)
    let own = model._$header.pointee.rowID
    do {
      try entityWriter.readKeyColumns(of: own, outside: mask, into: &values)
      return entityWriter.uniquenessConflict(
        model, rows: try entityWriter.rows(withKeysOf: values).filter { $0.row != own })
    } catch {
      return error
    }
  }

  /// Resolves the conflict of a row whose version differs from the context's: another context has updated or deleted it.
  ///
  /// - Returns: The properties that were written.
  @usableFromInline
  @inline(never)
  func resolveStaleVersion<Model: PersistentModel>(_ model: Model, _ mask: _PropertyMask) throws -> _PropertyMask {
    switch entityWriter.tracker.core.mergePolicy {
    case .error:
      // If the object has no explicit edits, and its row is deleted elsewhere, the object is removed as well.
      let isGone = try !entityWriter.tracker.hasExplicitEdits(model._$header) && !entityWriter.rowExists(model)
      if isGone { throw StaleVersionConflict(tracker: entityWriter.tracker, row: model._$header.pointee.rowID) }
      throw try entityWriter.staleEditError(model, mask)
    case .mergeByPropertyStoreTrump:
      // The conflicting properties are found outside the transaction, where objects are refreshed.
      throw StaleVersionConflict(tracker: entityWriter.tracker, row: model._$header.pointee.rowID)
    case .mergeByPropertyObjectTrump:
      // The shared bit covers several properties; writing all would revert one that another context has changed.
      // A to-one that was set through its inverse may yield.
      let isShared = mask & _ModelLayout.bit(_ModelLayout.lastBit) != 0 && entityWriter.tracker.layout.hasSharedBit
      if isShared || entityWriter.tracker.isSetThroughInverse(model, mask) {
        throw StaleVersionConflict(tracker: entityWriter.tracker, row: model._$header.pointee.rowID)
      }
      try overwrite(model, mask)
      return mask
    case .overwrite:
      if try entityWriter.hasYieldingKey(model, mask) {
        throw StaleVersionConflict(tracker: entityWriter.tracker, row: model._$header.pointee.rowID)
      }
      let all = mask | entityWriter.tracker.layout.attributeMask
      try overwrite(model, all)
      return all
    }
  }

  /// Throws if another context may have deleted the row of an object for which no column is written. Without a write, no version
  /// check detects the deletion.
  @usableFromInline
  @inline(never)
  func checkRowExists(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) throws {
    let tracker = entityWriter.tracker
    let row = header.pointee.rowID
    guard tracker.root.staleRows.contains(row) || tracker.core.remoteChanges.hasChanges,
      tracker.hasExplicitEdits(header)
    else { return }
    if try !tracker.rowExists(row, on: connection) { throw tracker.deletedRowError(row) }
  }

  /// Writes properties of a row whatever its version; the other columns keep the values that another context wrote.
  private func overwrite<Model: PersistentModel>(_ model: Model, _ mask: _PropertyMask) throws {
    let header = model._$header
    let row = header.pointee.rowID
    let forced = try connection.statement(for: entityWriter.tracker.statements.forcedUpdate(mask))
    defer { forced.checkIn() }
    var binder = _RowBinder(statement: forced, layout: entityWriter.tracker.layout)
    model._$bind(&binder, mask)
    if binder.firstProblem != nil { throw unstorableValueError(model, &binder, mask) }
    forced.bind(binder.nextIndex, row)
    var code = forced.stepCode()
    if code != SQLITE_DONE, try parkKeys(code, after: model, entityWriter.tracker) {
      forced.reset()
      code = forced.stepCode()
    }
    if code != SQLITE_DONE { throw updateError(forced, code, model, mask) }
    forced.reset()
    // The row is deleted, so the edit is dropped; other affected objects are found outside the transaction.
    guard connection.changes > 0 else { throw StaleVersionConflict(tracker: entityWriter.tracker, row: row) }
    // The object does not have the other context's values yet: the next fetch refreshes it.
    entityWriter.setVersion(StoreFormat.unknownVersion, of: row)
    entityWriter.tracker.markStale(row)
  }
}

extension EntityWriter {
  func unstorableValueError<Model: PersistentModel>(
    _ model: Model, position: Int32, mask: _PropertyMask, _ reason: String
  ) -> SaveError {
    let columns = tracker.layout.columns(in: mask)
    let place = Int(position)
    let name = columns.indices.contains(place) ? tracker.layout.properties[columns[place].property].name : "a property"
    let entity = tracker.layout.entityName
    return SaveError(
      .unstorableValue, entityName: entity, properties: [name], identifiers: [model.persistentModelID],
      "\(entity).\(name) cannot be saved: \(reason). Give it another value, or roll back. Nothing was written.")
  }

  func uniquenessConflict<Model: PersistentModel>(
    _ model: Model, rows: [KeyedRow]
  ) -> SaveError {
    let layout = tracker.layout
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
