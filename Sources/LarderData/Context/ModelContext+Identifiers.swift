import LarderSQLite
import LarderSupport

extension ModelContext {
  /// The context's instance for an identifier, if it has one in memory.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
    core.registered(persistentModelID, as: T.self)
  }

  /// The model that an identifier names, read from the store if need be.
  ///
  /// Where there is no such row the result stands for nothing, and reading it is an error of the program. Use
  /// ``existing(for:as:)`` where that may be so.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    guard let layout = core.container.layout(named: persistentModelID.entityName) else {
      preconditionFailure("\(persistentModelID.entityName) is no model of this container")
    }
    // Of whatever class the row is.
    return model(persistentModelID, layout.root.type)
  }

  private func model<Model: PersistentModel>(
    _ identifier: PersistentIdentifier, _ type: Model.Type
  ) -> any PersistentModel {
    do {
      if let model = try core.load(identifier, as: type) { return model }
      return core.missing(identifier, type, "there is no row \(identifier.key) of it")
    } catch {
      return core.missing(identifier, type, "\(error)")
    }
  }

  func model<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) -> T? {
    do {
      return try core.load(identifier, as: type)
    } catch {
      Log.warning("\(T._$layout.entityName) \(identifier.key) could not be read. \(error)")
      return nil
    }
  }
}

extension ContextCore {
  /// The row that an identifier names by now, if it is one of this store's.
  func row(of identifier: PersistentIdentifier, in state: EntityState) -> Int64? {
    guard identifier.identity === state.identity || identifier.identity.root === state.identity.root else {
      return nil
    }
    return state.store.aliases.row(of: identifier) ?? identifier.key
  }

  func registered<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) -> T? {
    guard let state = existingState(for: T._$layout), let row = row(of: identifier, in: state),
      let known = state.find(row), case let model = unsafeDowncast(known, to: T.self)
    else { return nil }
    return isOfStranger(identifier, model, row, state) ? nil : model
  }

  /// Whether an identifier was taken from a row that another program has written under a pending object's number. Where
  /// there is no such row, the object has come back to its own.
  private func isOfStranger(
    _ identifier: PersistentIdentifier, _ model: any PersistentModel, _ row: Int64, _ state: EntityState
  ) -> Bool {
    if identifier.isTemporary || !model._$header.pointee.status.contains(.inserted) { return false }
    return (try? state.exists(row)) == true
  }

  /// The instance for an identifier: the context's own, or one read from the store. Nil where there is no such row,
  /// or where its deletion is pending.
  func load<T: PersistentModel>(_ identifier: PersistentIdentifier, as type: T.Type) throws -> T? {
    if asksStores, registered(identifier, as: type)?._$header.pointee.status.contains(.inserted) != true {
      try bring([identifier], T._$layout)
    }
    try lookForOthers()
    catchUp()
    try spreadDeletions()
    let state = try state(for: T._$layout)
    guard let row = row(of: identifier, in: state), !state.isDeleted(row) else { return nil }
    if let known = state.find(row) {
      let model = unsafeDowncast(known, to: T.self)
      // What is not saved is in no row.
      if model._$header.pointee.status.contains(.inserted), !isOfStranger(identifier, model, row, state) {
        return model
      }
    }
    return try quietly { try read(row, state, type) }
  }

  private func read<T: PersistentModel>(_ row: Int64, _ state: EntityState, _ type: T.Type) throws -> T? {
    try StoreError.wrapping(state.store.errorURL, "reading \(T._$layout.entityName)") {
      try state.session.read { connection in
        let statement = try connection.statement(for: state.statements.selectByIdentifier)
        defer {
          statement.reset()
          statement.checkIn()
        }
        statement.bind(1, row)
        let rows = StoredRows(statement, of: state.statements)
        return try ModelArray.collect(T.self) { try T._$load(rows, state, into: $0) }.first
      }
    }
  }

  /// Stands for a row that is not there: it has the identifier, and reading it ends the program with the reason, which
  /// is what `model(for:)` promises. Nothing else can be said by a result that is not optional.
  func missing<T: PersistentModel>(
    _ identifier: PersistentIdentifier, _ type: T.Type, _ reason: String
  ) -> T {
    let model = T(
      _$row: RowReader(source: RowSource([]), layout: T._$layout, problems: RowProblems()))
    let header = model._$header
    header.pointee.rowID = identifier.key
    header.pointee.formerIdentity = identifier.identity
    header.pointee.status = .gone
    header.pointee.probe = MissingRowProbe.make(
      "model(for:) was asked for \(identifier.entityName) \(identifier.key), and \(reason). "
        + "Use existing(for:as:) for identifiers that may be gone.")
    return model
  }
}
