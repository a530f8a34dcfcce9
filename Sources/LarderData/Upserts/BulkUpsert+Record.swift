import CSQLite
import LarderSQLite
import LarderSupport

/// What the records of a transaction are written with, taken out of the upsert once for all of them: what lies in a class
/// is retained each time that it is used.
struct UpsertTools<Model: PersistentModel, Record> {
  let upsert: Statement
  let write: UpsertMapping<Model, Record>.Writing
  /// Empty for most; told apart so that a list of a generic type is not asked for each record.
  let optionalKeys: [UpsertMapping<Model, Record>.Part]
  let hasOptionalKeys: Bool
  let mask: PropertyMask
  let hasClasses: Bool
  let layout: ModelLayout
  let connection: Connection
  let lists: ListWriting<Record>?

  init(
    _ statement: UpsertStatement<Model, Record>, _ upsert: Statement, _ layout: ModelLayout, _ connection: Connection,
    _ lists: ListWriting<Record>?
  ) {
    self.upsert = upsert
    write = statement.write
    optionalKeys = statement.optionalKeys
    hasOptionalKeys = !optionalKeys.isEmpty
    mask = statement.mask
    hasClasses = statement.selectClass != nil
    self.layout = layout
    self.connection = connection
    self.lists = lists
  }
}

/// One record.
extension BulkUpsert {
  func note(_ record: UnsafePointer<Record>, _ noting: Statement) {
    do {
      var binder = RowBinder(statement: noting, layout: state.layout)
      try statement.writeKey(record, &binder)
      for key in statement.optionalKeys where try key.isNil?(record) == true { throw lacksKey(key.name) }
      if let problem = binder.problem {
        throw SaveError(
          .unstorableValue, entityName: state.layout.entityName,
          "The key of a record cannot be stored: \(problem.reason). Correct the record, or leave it out.")
      }
      try noting.run()
    } catch {
      noting.reset()
      if lostKey == nil { lostKey = error }
    }
  }

  func write(
    _ record: UnsafePointer<Record>, _ tools: UpsertTools<Model, Record>, _ written: UnsafeMutablePointer<WrittenRow>,
    _ changes: inout ChangeSet.Entity
  ) throws {
    if tools.hasOptionalKeys {
      for key in tools.optionalKeys where try key.isNil?(record) == true { throw lacksKey(key.name) }
    }
    let (upsert, connection, lists) = (tools.upsert, tools.connection, tools.lists)
    let number = numbers.first ?? placeholder
    upsert.bind(1, number)
    var binder = RowBinder(statement: upsert, layout: tools.layout, first: 2)
    do {
      try tools.write(record, &binder)
    } catch {
      upsert.reset()
      throw error
    }
    if let problem = binder.problem {
      // Another value of it may have failed to be bound, which the next record must not be told of.
      upsert.reset()
      throw unstorable(problem)
    }
    let code = upsert.stepCode()
    if code != SQLITE_DONE {
      let error = upsert.failure(code)
      guard error.extendedCode == .primaryKey || error.extendedCode == .rowid else { throw conflict(error) }
      // Another program's row has the number. Who has the one that no row should have keeps this record out.
      guard number != placeholder else { throw error }
      numbers = 0..<0
      return try write(record, tools, written, &changes)
    }
    upsert.reset()
    switch written.pointee.operation {
    case SQLITE_INSERT:
      report.inserted += 1
      let row = try settle(number, connection)
      changes.inserted.append(row)
      _ = try lists?.write(row, isNew: true)
    case SQLITE_UPDATE:
      report.updated += 1
      let row = written.pointee.row
      let mask = try lists?.write(row, isNew: false) ?? 0
      changes.updated.append(ChangeSet.Update(row: row, mask: tools.mask | mask))
    default:
      if tools.hasClasses { try refuseOtherClass(record, connection) }
      if let lists, let row = try row(of: record, connection), case let mask = try lists.write(row, isNew: false),
        mask != 0
      {
        try connection.raiseVersion(of: row, in: state.statements.table)
        report.updated += 1
        changes.updated.append(ChangeSet.Update(row: row, mask: mask))
      } else {
        report.unchanged += 1
      }
    }
  }

  /// The number of the row that has a record's key.
  private func row(of record: UnsafePointer<Record>, _ connection: Connection) throws -> Int64? {
    try connection.withStatement(for: statement.selectRow) { select in
      var binder = RowBinder(statement: select, layout: state.layout)
      try statement.writeKey(record, &binder)
      defer { select.reset() }
      return try select.step() ? select.int64(0) : nil
    }
  }

  /// What has the key may be of another class, and stays what it is.
  private func refuseOtherClass(_ record: UnsafePointer<Record>, _ connection: Connection) throws {
    guard let sql = statement.selectClass else { return }
    try connection.withStatement(for: sql) { select in
      var binder = RowBinder(statement: select, layout: state.layout)
      try statement.writeKey(record, &binder)
      defer { select.reset() }
      guard try select.step(), select.string(0) != state.layout.entityName else { return }
      throw SaveError(
        .uniquenessConflict, entityName: state.layout.entityName,
        "A record of \(state.layout.entityName) has the key of a \(select.string(0)). Delete that first, or leave the "
          + "record out.")
    }
  }

  /// The number of a row that was inserted.
  private func settle(_ number: Int64, _ connection: Connection) throws -> Int64 {
    if number == numbers.first {
      numbers = (number + 1)..<numbers.upperBound
      return number
    }
    let start = try Bookkeeping.reserveIdentifiers(block, on: connection, isAlone: false)
    hasReserved = true
    numbers = (start + 1)..<(start + block)
    block = min(block * 2, StoreFormat.largestBlock)
    let id = StoreFormat.identifierColumn
    try connection.withStatement(for: "UPDATE \(state.statements.table) SET \(id) = ?1 WHERE \(id) = ?2") { statement in
      statement.bind(1, start)
      statement.bind(2, number)
      try statement.run()
    }
    return start
  }

  private func lacksKey(_ name: String) -> SaveError {
    SaveError(
      .unstorableValue, entityName: state.layout.entityName, properties: [name],
      "The record has no \(name), which is its key. Leave it out, or give it one.")
  }

  private func unstorable(_ problem: (position: Int32, reason: String)) -> SaveError {
    var place = Int32(2)
    var name = "a property"
    for part in statement.parts {
      if problem.position < place + Int32(part.columns.count) {
        name = part.name
        break
      }
      place += Int32(part.columns.count)
    }
    return SaveError(
      .unstorableValue, entityName: state.layout.entityName, properties: [name],
      "\(state.layout.entityName).\(name) cannot be stored: \(problem.reason). Correct the record, or leave it out.")
  }

  private func conflict(_ error: SQLiteError) -> any Error {
    guard error.extendedCode == .unique else { return error }
    return SaveError(
      .uniquenessConflict, entityName: state.layout.entityName,
      "A record of \(state.layout.entityName) has a value that is unique to another row. Correct the record, or upsert by "
        + "that key.")
  }
}
