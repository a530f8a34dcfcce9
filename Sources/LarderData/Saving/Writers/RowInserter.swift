public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The insert statement of one entity in a save.
@usableFromInline
final class RowInserter: _RowInserter {
  @usableFromInline let statement: Statement
  @usableFromInline let database: OpaquePointer
  /// Whether an insert may be resolved to a stored row with the same key.
  @usableFromInline let mayUpsert: Bool
  // Unchecked: no code runs while a row ID is appended, and one is appended for each insert.
  @usableFromInline @exclusivity(unchecked) var rows: [Int64] = []
  let entityWriter: EntityWriter
  /// Whether the rows have an order in a to-many of another entity.
  @usableFromInline let hasOrderColumns: Bool
  private let orderTables: [AssignedOrders]
  /// Whether edits made while rows are written are recorded.
  @usableFromInline let tracksReentrantEdits: Bool

  init(_ entityWriter: EntityWriter, connection: Connection) throws {
    self.entityWriter = entityWriter
    orderTables = entityWriter.relationshipWriter.orders(for: entityWriter.tracker.layout)
    hasOrderColumns = !orderTables.isEmpty
    tracksReentrantEdits = entityWriter.reentrantEdits != nil
    statement = try connection.statement(for: entityWriter.tracker.statements.insert)
    database = connection.handle
    mayUpsert = !entityWriter.tracker.layout.uniqueGroups.isEmpty
    super.init()
    rows.reserveCapacity(entityWriter.tracker.inserted.count)
  }

  deinit { statement.checkIn() }

  /// Called before an object is written.
  @usableFromInline
  func willWrite(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) { entityWriter.reentrantEdits?.willWrite(header) }

  /// Binds the order columns, which follow the properties.
  @usableFromInline
  func bindOrders(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ binder: inout _RowBinder) {
    for table in orderTables { binder.bindStored(table[header].map { .integer($0) } ?? .null) }
  }
}

/// Inserts the pending objects of an entity, in the order of their inserts.
@inlinable
public func _$insertAll<Model: PersistentModel>(
  _ type: Model.Type, _ table: _InstanceTable, _ rows: _RowInserter
) throws {
  let tracker = unsafeDowncast(table, to: _EntityTracker.self)
  let rows = unsafeDowncast(rows, to: RowInserter.self)
  let statement = rows.statement
  var binder = _RowBinder(statement: statement, layout: tracker.layout)
  for object in tracker.inserted {
    let model = unsafeDowncast(object, to: Model.self)
    let row = model._$header.pointee.rowID
    statement.bind(1, row)
    binder.nextIndex = 2
    if rows.tracksReentrantEdits { rows.willWrite(model._$header) }
    model._$bind(&binder, ~0)
    if rows.hasOrderColumns { rows.bindOrders(model._$header, &binder) }
    if binder.firstProblem != nil { throw rows.unstorableValueError(model, &binder) }
    // SQLite leaves this value at 0 if the insert became an update; no other cheap way detects that.
    if rows.mayUpsert { sqlite3_set_last_insert_rowid(rows.database, 0) }
    let code = statement.stepCode()
    if code != SQLITE_DONE {
      try rows.handleFailure(code, model)
      continue
    }
    statement.reset()
    if rows.mayUpsert && sqlite3_last_insert_rowid(rows.database) == 0 {
      try rows.resolveUpsert(model)
    } else {
      rows.rows.append(row)
    }
  }
}
