import CSQLite
import LarderSQLite
import LarderSupport

/// The statements and bindings with which the records of a transaction are written. They are read from the upsert once per
/// transaction: a class property is retained at each use.
struct PreparedUpsert<Model: PersistentModel, Record> {
  let statement: Statement
  let bindRecord: UpsertMapping<Model, Record>.RecordBinding
  /// The optional parts of the key, mostly none. ``hasOptionalKeys`` saves a check of this generic array for each record.
  let optionalKeys: [UpsertMapping<Model, Record>.ColumnMapping]
  let hasOptionalKeys: Bool
  let mask: _PropertyMask
  let hasClasses: Bool
  let layout: _ModelLayout
  let connection: Connection
  let joinListWriter: JoinListWriter<Record>?

  init(
    _ statement: UpsertStatement<Model, Record>, _ upsert: Statement, _ layout: _ModelLayout, _ connection: Connection,
    _ lists: JoinListWriter<Record>?
  ) {
    self.statement = upsert
    bindRecord = statement.bindRecord
    optionalKeys = statement.optionalKeyMappings
    hasOptionalKeys = !optionalKeys.isEmpty
    mask = statement.mask
    hasClasses = statement.selectClass != nil
    self.layout = layout
    self.connection = connection
    self.joinListWriter = lists
  }
}

/// Writing a single record.
extension BulkUpsert {
  func recordKey(_ record: UnsafePointer<Record>, _ noting: Statement) {
    do {
      var binder = _RowBinder(statement: noting, layout: tracker.layout)
      try statement.bindKey(record, &binder)
      for key in statement.optionalKeyMappings where try key.isNil?(record) == true { throw missingKeyError(key.name) }
      if let problem = binder.firstProblem {
        throw SaveError(
          .unstorableValue, entityName: tracker.layout.entityName,
          "The key of a record cannot be stored: \(problem.reason). Correct the record, or leave it out.")
      }
      try noting.run()
    } catch {
      noting.reset()
      if firstKeyError == nil { firstKeyError = error }
    }
  }

  func upsertRecord(
    _ record: UnsafePointer<Record>, _ tools: PreparedUpsert<Model, Record>,
    _ written: UnsafeMutablePointer<WrittenRow>,
    _ changes: inout ChangeSet.Entity
  ) throws {
    if tools.hasOptionalKeys {
      for key in tools.optionalKeys where try key.isNil?(record) == true { throw missingKeyError(key.name) }
    }
    let (upsert, connection, lists) = (tools.statement, tools.connection, tools.joinListWriter)
    let number = reservedRowIDs.first ?? placeholderRowID
    upsert.bind(1, number)
    var binder = _RowBinder(statement: upsert, layout: tools.layout, first: 2)
    do {
      try tools.bindRecord(record, &binder)
    } catch {
      upsert.reset()
      throw error
    }
    if let problem = binder.firstProblem {
      // Binding another value of the record may have failed as well, and the next record must not receive that error.
      upsert.reset()
      throw unstorableError(problem)
    }
    let code = upsert.stepCode()
    if code != SQLITE_DONE {
      let error = upsert.failure(code)
      guard error.extendedCode == .primaryKey || error.extendedCode == .rowid else { throw uniquenessError(error) }
      // A row of another program has the reserved row ID. If a row has the placeholder ID, the record fails.
      guard number != placeholderRowID else { throw error }
      reservedRowIDs = 0..<0
      return try upsertRecord(record, tools, written, &changes)
    }
    upsert.reset()
    switch written.pointee.operation {
    case SQLITE_INSERT:
      report.inserted += 1
      let row = try finalizeRowID(number, connection)
      changes.inserted.append(row)
      _ = try lists?.write(row, isNew: true)
    case SQLITE_UPDATE:
      report.updated += 1
      let row = written.pointee.row
      let mask = try lists?.write(row, isNew: false) ?? 0
      changes.updated.append(ChangeSet.Update(row: row, mask: tools.mask | mask))
    default:
      if tools.hasClasses { try checkClass(of: record, connection) }
      if let lists, let row = try rowID(of: record, connection), case let mask = try lists.write(row, isNew: false),
        mask != 0
      {
        try connection.incrementVersion(of: row, in: tracker.statements.table)
        report.updated += 1
        changes.updated.append(ChangeSet.Update(row: row, mask: mask))
      } else {
        report.unchanged += 1
      }
    }
  }

  /// Returns the row ID of the row that has a record's key.
  private func rowID(of record: UnsafePointer<Record>, _ connection: Connection) throws -> Int64? {
    try connection.withStatement(for: statement.selectRow) { select in
      var binder = _RowBinder(statement: select, layout: tracker.layout)
      try statement.bindKey(record, &binder)
      defer { select.reset() }
      return try select.step() ? select.int64(0) : nil
    }
  }

  /// Throws an error if the row with a record's key is of another class. Such a row is not changed.
  private func checkClass(of record: UnsafePointer<Record>, _ connection: Connection) throws {
    guard let sql = statement.selectClass else { return }
    try connection.withStatement(for: sql) { select in
      var binder = _RowBinder(statement: select, layout: tracker.layout)
      try statement.bindKey(record, &binder)
      defer { select.reset() }
      guard try select.step(), select.string(0) != tracker.layout.entityName else { return }
      throw SaveError(
        .uniquenessConflict, entityName: tracker.layout.entityName,
        "A record of \(tracker.layout.entityName) has the key of a \(select.string(0)). Delete that first, or leave the "
          + "record out.")
    }
  }

  /// Returns the row ID of an inserted row, replacing the placeholder by a newly reserved row ID.
  private func finalizeRowID(_ number: Int64, _ connection: Connection) throws -> Int64 {
    if number == reservedRowIDs.first {
      reservedRowIDs = (number + 1)..<reservedRowIDs.upperBound
      return number
    }
    let start = try StoreMetadata.reserveIdentifiers(reservationSize, on: connection, isWholeTransaction: false)
    hasReservedRowIDs = true
    reservedRowIDs = (start + 1)..<(start + reservationSize)
    reservationSize = min(reservationSize * 2, StoreFormat.maximumBlockSize)
    let id = StoreFormat.identifierColumn
    try connection.withStatement(for: "UPDATE \(tracker.statements.table) SET \(id) = ?1 WHERE \(id) = ?2") {
      statement in
      statement.bind(1, start)
      statement.bind(2, number)
      try statement.run()
    }
    return start
  }

  private func missingKeyError(_ name: String) -> SaveError {
    SaveError(
      .unstorableValue, entityName: tracker.layout.entityName, properties: [name],
      "The record has no \(name), which is its key. Leave it out, or give it one.")
  }

  private func unstorableError(_ problem: (position: Int32, reason: String)) -> SaveError {
    var place = Int32(2)
    var name = "a property"
    for part in statement.columnMappings {
      if problem.position < place + Int32(part.columns.count) {
        name = part.name
        break
      }
      place += Int32(part.columns.count)
    }
    return SaveError(
      .unstorableValue, entityName: tracker.layout.entityName, properties: [name],
      "\(tracker.layout.entityName).\(name) cannot be stored: \(problem.reason). Correct the record, or leave it out.")
  }

  private func uniquenessError(_ error: SQLiteError) -> any Error {
    guard error.extendedCode == .unique else { return error }
    return SaveError(
      .uniquenessConflict, entityName: tracker.layout.entityName,
      "A record of \(tracker.layout.entityName) has a value that is unique to another row. Correct the record, or upsert by "
        + "that key.")
  }
}
