import Foundation
import LarderSQLite

/// Looks through one store.
struct IntegrityCheck {
  /// More of a kind would be read by nobody.
  static let limit = 100

  private let store: SQLiteStore
  private let container: ContainerCore
  private let layouts: [ModelLayout]
  private let progress: Progress?
  private var problems: [IntegrityProblem] = []

  init(_ store: SQLiteStore, _ container: ContainerCore, _ layouts: [ModelLayout], _ progress: Progress?) {
    self.store = store
    self.container = container
    self.layouts = layouts
    self.progress = progress
  }

  mutating func run() throws -> [IntegrityProblem] {
    try StoreError.wrapping(store.errorURL, "checking") {
      try store.database.read { connection in
        try checkFile(connection)
        try checkReferences(connection)
        let tables = try Bookkeeping.tables(on: connection, at: store.url)
        for table in tables { try checkParts(of: table, connection) }
        try checkHistory(connection)
        let whole = Set(tables.map(\.name)).subtracting(
          problems.filter { $0.kind == .missingPart }.compactMap(\.entityName))
        for layout in layouts where whole.contains(layout.tableName) {
          try StoredValueCheck(store, layout, connection, progress).run { note(.unreadableValue, $0, $1, $2) }
        }
      }
    }
    return problems
  }

  private mutating func note(_ kind: IntegrityProblem.Kind, _ entity: String?, _ row: Int64?, _ explanation: String) {
    problems.append(
      IntegrityProblem(kind: kind, url: store.errorURL, entityName: entity, row: row, explanation: explanation))
  }

  /// A file may be so damaged that the check of it fails, too.
  private mutating func checkFile(_ connection: Connection) throws {
    do {
      for line in try Bookkeeping.strings("PRAGMA integrity_check(\(IntegrityCheck.limit))", on: connection)
      where line != "ok" {
        note(.damagedFile, nil, nil, "The file: \(line)")
      }
    } catch let error as SQLiteError where error.code == .corrupt {
      note(.damagedFile, nil, nil, "The file: \(error.message)")
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
    func columns(_ name: String) throws -> Set<String> {
      Set(try Bookkeeping.strings("SELECT name FROM pragma_table_info(\(StoreFormat.literal(name)))", on: connection))
    }
    let present = try columns(table.name)
    if present.isEmpty {
      return note(.missingPart, table.name, nil, "The table \"\(table.name)\" is not there.")
    }
    let own =
      [StoreFormat.identifierColumn, StoreFormat.versionColumn]
      + (table.classes == nil ? [] : [StoreFormat.classColumn])
    for name in own + table.columns.map(\.name) where !present.contains(name) {
      note(.missingPart, table.name, nil, "The table \"\(table.name)\" has no column \"\(name)\".")
    }
    for name in table.tablesBeside where try columns(name).isEmpty {
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

  private mutating func checkHistory(_ connection: Connection) throws {
    guard try connection.int64("PRAGMA user_version") ?? 0 >= 2 else { return }
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
