import Foundation
import LarderSQLite

/// Looks through one store.
struct IntegrityCheck {
  /// More of a kind would be read by nobody.
  static let limit = 100

  private let store: SQLiteStore
  private let layouts: [ModelLayout]
  private let progress: Progress?
  private var problems: [IntegrityProblem] = []
  /// The tables that rows cannot be read from, since something of them is not there.
  private var unreadable: Set<String> = []

  init(_ store: SQLiteStore, _ layouts: [ModelLayout], _ progress: Progress?) {
    self.store = store
    self.layouts = layouts
    self.progress = progress
  }

  mutating func run() throws -> [IntegrityProblem] {
    try StoreError.wrapping(store.errorURL, "checking") {
      try store.database.read { connection in
        try goingOn { try $0.checkFile(connection) }
        try goingOn { try $0.checkReferences(connection) }
        let tables = try Bookkeeping.tables(on: connection, at: store.url)
        for table in tables { try goingOn { try $0.checkParts(of: table, connection) } }
        try goingOn { try $0.checkHistory(connection) }
        let readable = Set(tables.map(\.name)).subtracting(unreadable)
        for layout in layouts where readable.contains(layout.tableName) {
          let check = StoredValueCheck(store, layout, connection, progress)
          try goingOn { try $0.check(check) }
        }
      }
    }
    return problems
  }

  private mutating func check(_ values: StoredValueCheck) throws {
    try values.run { note(.unreadableValue, $0, $1, $2) }
  }

  /// What meets damage has found it, and the rest is looked at all the same.
  private mutating func goingOn(_ step: (inout IntegrityCheck) throws -> Void) throws {
    do {
      try step(&self)
    } catch let error as SQLiteError where error.code == .corrupt {
      let explanation = "The file: \(error.message)"
      if problems.contains(where: { $0.explanation == explanation }) { return }
      note(.damagedFile, nil, nil, explanation)
    }
  }

  private mutating func note(_ kind: IntegrityProblem.Kind, _ entity: String?, _ row: Int64?, _ explanation: String) {
    problems.append(
      IntegrityProblem(kind: kind, url: store.errorURL, entityName: entity, row: row, explanation: explanation))
  }

  private mutating func checkFile(_ connection: Connection) throws {
    try connection.withStatement(for: "PRAGMA integrity_check(\(IntegrityCheck.limit))") { statement in
      defer { statement.reset() }
      while try statement.step() {
        if statement.string(0) != "ok" { note(.damagedFile, nil, nil, "The file: \(statement.string(0))") }
      }
    }
  }

  private mutating func checkReferences(_ connection: Connection) throws {
    var counts: [String: Int] = [:]
    var found: [(table: String, row: Int64?, target: String)] = []
    try connection.withStatement(for: "PRAGMA foreign_key_check") { statement in
      defer { statement.reset() }
      while try statement.step() {
        let table = statement.string(0)
        counts[table, default: 0] += 1
        if counts[table, default: 0] > IntegrityCheck.limit { continue }
        found.append((table, statement.isNull(1) ? nil : statement.int64(1), statement.string(2)))
      }
    }
    for (table, row, target) in found {
      let place = row.map { "Row \($0)" } ?? "A pair"
      note(
        .missingReference, table, row, "\(place) of \"\(table)\" refers to a row of \"\(target)\" that is not there.")
    }
  }

  private mutating func checkParts(of table: TableDefinition, _ connection: Connection) throws {
    let present = try columns(table.name, connection)
    if present.isEmpty {
      unreadable.insert(table.name)
      return note(.missingPart, table.name, nil, "The table \"\(table.name)\" is not there.")
    }
    let own =
      [StoreFormat.identifierColumn, StoreFormat.versionColumn]
      + (table.classes == nil ? [] : [StoreFormat.classColumn])
    for name in own + table.columns.map(\.name) where !present.contains(name) {
      unreadable.insert(table.name)
      note(.missingPart, table.name, nil, "The table \"\(table.name)\" has no column \"\(name)\".")
    }
    for name in table.tablesBeside where try columns(name, connection).isEmpty {
      unreadable.insert(table.name)
      note(.missingPart, table.name, nil, "The table \"\(name)\" of \"\(table.name)\" is not there.")
    }
    let indexes = Set(
      try Bookkeeping.strings("SELECT name FROM pragma_index_list(\(StoreFormat.literal(table.name)))", on: connection))
    let wanted =
      table.unique.map { StoreFormat.uniqueIndex(table.name, $0) }
      + table.indexes.filter { !table.unique.contains($0) }.map { StoreFormat.index(table.name, $0) }
    for name in wanted where !indexes.contains(name) {
      note(.missingPart, table.name, nil, "The index \"\(name)\" of \"\(table.name)\" is not there.")
    }
  }

  /// The columns of a table; none where it is not there.
  private func columns(_ name: String, _ connection: Connection) throws -> Set<String> {
    Set(try Bookkeeping.strings("SELECT name FROM pragma_table_info(\(StoreFormat.literal(name)))", on: connection))
  }

  private mutating func checkHistory(_ connection: Connection) throws {
    guard try connection.int64("PRAGMA user_version") ?? 0 >= 2 else { return }
    if try columns(HistoryTable.name, connection).isEmpty {
      return note(.missingPart, nil, nil, "The table \"\(HistoryTable.name)\" is not there.")
    }
    var unreadable: [Int64] = []
    try connection.withStatement(for: "SELECT number, changes FROM \(HistoryTable.name)") { statement in
      defer { statement.reset() }
      while unreadable.count < IntegrityCheck.limit, try statement.step() {
        if (try? HistoryRecord(statement.string(1))) == nil { unreadable.append(statement.int64(0)) }
      }
    }
    for number in unreadable {
      note(.unreadableHistory, nil, number, "Transaction \(number) of the history cannot be read.")
    }
  }
}
