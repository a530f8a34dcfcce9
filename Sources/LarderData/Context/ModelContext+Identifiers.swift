import LarderSQLite
import LarderSupport

extension ModelContext {
  /// Returns the context's instance for an identifier, if it is in memory.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
    core.registered(persistentModelID, as: T.self)
  }

  /// Returns the model with the specified identifier, read from the store if necessary.
  ///
  /// If there is no such row, the result is a placeholder, and reading one of its properties is a programming error. Use
  /// ``existingModel(for:as:)`` if the row may not exist.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    guard let layout = core.container.layout(named: persistentModelID.entityName) else {
      preconditionFailure("\(persistentModelID.entityName) is no model of this container")
    }
    // The row may be of any class of the hierarchy.
    return model(persistentModelID, layout.root.type)
  }

  private func model<Model: PersistentModel>(
    _ identifier: PersistentIdentifier, _ type: Model.Type
  ) -> any PersistentModel {
    do {
      if let model = try core.loadModel(identifier, as: type) { return model }
      return core.missingRowPlaceholder(identifier, type, "there is no row \(identifier.key) of it")
    } catch {
      return core.missingRowPlaceholder(identifier, type, "\(error)")
    }
  }

  func model<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) -> T? {
    do {
      return try core.loadModel(identifier, as: type)
    } catch {
      Log.warning("\(T._$layout.entityName) \(identifier.key) could not be read. \(error)")
      return nil
    }
  }
}

extension _ContextCore {
  /// Returns the current row ID of an identifier, if it belongs to this store.
  func row(of identifier: PersistentIdentifier, in tracker: _EntityTracker) -> Int64? {
    guard identifier.identity === tracker.identity || identifier.identity.root === tracker.identity.root else {
      return nil
    }
    return tracker.store.aliases.row(of: identifier) ?? identifier.key
  }

  func registered<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) -> T? {
    guard let tracker = existingTracker(for: T._$layout), let row = row(of: identifier, in: tracker),
      let known = tracker.find(row), case let model = unsafeDowncast(known, to: T.self)
    else { return nil }
    return refersToCollidingRow(identifier, model, row, tracker) ? nil : model
  }

  /// Whether an identifier refers to a row that another program has written under a pending object's row ID. If there is no
  /// such row, the identifier refers to the object.
  private func refersToCollidingRow(
    _ identifier: PersistentIdentifier, _ model: any PersistentModel, _ row: Int64, _ tracker: _EntityTracker
  ) -> Bool {
    if identifier.isTemporary || !model._$header.pointee.status.contains(.inserted) { return false }
    return (try? tracker.exists(row)) == true
  }

  /// Returns the instance for an identifier: the context's own, or one read from the store. Returns `nil` if there is no such
  /// row, or if its deletion is pending.
  func loadModel<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) throws -> T? {
    if hasStorageBackends, registered(identifier, as: type)?._$header.pointee.status.contains(.inserted) != true {
      try fetchIntoCache([identifier], T._$layout)
    }
    try pollExternalCommits()
    mergeRemoteChangesIfNeeded()
    try propagateDeletions()
    let tracker = try tracker(for: T._$layout)
    guard let row = row(of: identifier, in: tracker), !tracker.isDeleted(row) else { return nil }
    if let known = tracker.find(row) {
      let model = unsafeDowncast(known, to: T.self)
      // An inserted object has no row.
      if model._$header.pointee.status.contains(.inserted), !refersToCollidingRow(identifier, model, row, tracker) {
        return model
      }
    }
    return try deferringNotifications { try readModel(row, tracker, type) }
  }

  private func readModel<T: PersistentModel>(_ row: Int64, _ tracker: _EntityTracker, _ type: T.Type) throws -> T? {
    try StoreError.mapErrors(tracker.store.errorURL, "reading \(T._$layout.entityName)") {
      try tracker.session.read { connection in
        let statement = try connection.statement(for: tracker.statements.selectByIdentifier)
        defer {
          statement.reset()
          statement.checkIn()
        }
        statement.bind(1, row)
        let rows = _RowCursor(statement, of: tracker.statements)
        return try _ModelArrayPointer.collect(T.self) { try T._$load(rows, tracker, into: $0) }.first
      }
    }
  }

  /// Returns a placeholder for a row that does not exist. It has the identifier, and reading it ends the program with the
  /// reason, as `model(for:)` documents. A result that is not optional has no other way to report the error.
  func missingRowPlaceholder<T: PersistentModel>(
    _ identifier: PersistentIdentifier, _ type: T.Type, _ reason: String
  ) -> T {
    let model = T(
      _$row: _RowReader(source: _RowSource([]), layout: T._$layout, problems: _RowProblems()))
    let header = model._$header
    header.pointee.rowID = identifier.key
    header.pointee.previousIdentity = identifier.identity
    header.pointee.status = .rowMissing
    header.pointee.probe = MissingRowProbe.make(
      "model(for:) was asked for \(identifier.entityName) \(identifier.key), and \(reason). "
        + "Use existingModel(for:as:) for identifiers that may be gone.")
    return model
  }
}
