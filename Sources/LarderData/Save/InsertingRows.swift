public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The inserts of one model in a save.
public final class InsertingRows {
  @usableFromInline let statement: Statement
  @usableFromInline let database: OpaquePointer
  /// Whether an insert may meet a stored row with the same key.
  @usableFromInline let mayUnite: Bool
  // Unchecked, as nothing runs while a number enters, and one does for each insert.
  @usableFromInline @exclusivity(unchecked) var rows: [Int64] = []
  let saving: EntitySaving
  /// Whether rows have an order in a to-many elsewhere.
  @usableFromInline let hasOrders: Bool
  private let orders: [OrderTable]
  /// Whether edits are looked for that come while rows are written.
  @usableFromInline let expectsLateEdits: Bool

  init(_ saving: EntitySaving, connection: Connection) throws {
    self.saving = saving
    orders = saving.relations.orders(for: saving.state.layout)
    hasOrders = !orders.isEmpty
    expectsLateEdits = saving.lateEdits != nil
    statement = try connection.statement(for: saving.state.statements.insert)
    database = connection.handle
    mayUnite = !saving.state.layout.uniqueGroups.isEmpty
    rows.reserveCapacity(saving.state.inserted.count)
  }

  deinit { statement.checkIn() }

  /// An object is about to be written.
  @usableFromInline
  func begin(_ header: UnsafeMutablePointer<ModelHeader.Fields>) { saving.lateEdits?.begin(header) }

  /// Binds what follows the properties.
  @usableFromInline
  func bindOrders(_ header: UnsafeMutablePointer<ModelHeader.Fields>, _ binder: inout RowBinder) {
    for table in orders { binder.put(table[header].map { .integer($0) } ?? .null) }
  }
}

/// Inserts the pending objects of a model, in the order of their inserts.
@inlinable
public func _$insertAll<Model: PersistentModel>(
  _ type: Model.Type, _ state: EntityState, _ rows: InsertingRows
) throws {
  let statement = rows.statement
  var binder = RowBinder(statement: statement, layout: state.layout)
  for object in state.inserted {
    let model = unsafeDowncast(object, to: Model.self)
    let row = model._$header.pointee.rowID
    statement.bind(1, row)
    binder.next = 2
    if rows.expectsLateEdits { rows.begin(model._$header) }
    model._$bind(&binder, ~0)
    if rows.hasOrders { rows.bindOrders(model._$header, &binder) }
    if binder.problem != nil { throw rows.unstorable(model, &binder) }
    // SQLite leaves it at 0 where an insert became an update, which nothing else tells cheaply.
    if rows.mayUnite { sqlite3_set_last_insert_rowid(rows.database, 0) }
    let code = statement.stepCode()
    if code != SQLITE_DONE {
      try rows.failed(code, model)
      continue
    }
    statement.reset()
    if rows.mayUnite && sqlite3_last_insert_rowid(rows.database) == 0 {
      try rows.united(model)
    } else {
      rows.rows.append(row)
    }
  }
}
