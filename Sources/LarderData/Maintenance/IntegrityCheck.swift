import Foundation
import LarderSQLite

/// Looks through one store.
struct IntegrityCheck {
  /// More of a kind would be read by nobody.
  static let limit = 100

  private let store: SQLiteStore
  let layouts: [ModelLayout]
  private let progress: Progress?
  private var problems: [IntegrityProblem] = []
  /// The tables that rows cannot be read from, since they or columns of them are not there.
  private(set) var unreadable: Set<String> = []

  init(_ store: SQLiteStore, _ layouts: [ModelLayout], _ progress: Progress?) {
    self.store = store
    self.layouts = layouts
    self.progress = progress
  }

  mutating func run() throws -> [IntegrityProblem] {
    try StoreError.wrapping(store.errorURL, "checking") {
      try store.database.read { connection in
        try connection.wanted(by: progress) { try check(connection) }
      }
    }
    return problems
  }

  private mutating func check(_ connection: Connection) throws {
    try goingOn("The file") { try $0.checkFile(connection) }
    try goingOn("What rows refer to") { try $0.checkReferences(connection) }
    let tables = try tables(connection)
    for table in tables {
      try goingOn("The table \"\(table.name)\"", table.name) { try $0.checkParts(of: table, connection) }
    }
    for table in tables where !unreadable.contains(table.name) {
      try goingOn("The table \"\(table.name)\"", table.name) { try $0.checkClasses(of: table, connection) }
      try goingOn("The table \"\(table.name)\"", table.name) {
        try $0.checkEnds(of: table, among: tables, connection)
      }
      try goingOn("The table \"\(table.name)\"", table.name) {
        try $0.checkDestinations(of: table, among: tables, connection)
      }
    }
    try goingOn("The history") { try $0.checkHistory(connection) }
    for table in tables where !unreadable.contains(table.name) {
      for external in table.externals ?? [] where !external.isOptional && !unreadable.contains(external.name) {
        try goingOn("The table \"\(external.name)\"", table.name) {
          try $0.checkPresence(of: external, in: table, connection)
        }
      }
    }
    let readable = Set(tables.map(\.name)).subtracting(unreadable)
    for layout in layouts where readable.contains(layout.tableName) {
      try checkValues(of: layout, connection)
    }
  }

  /// How many rows and values apart from them it will read.
  func expected() throws -> Int64 {
    try StoreError.wrapping(store.errorURL, "checking") {
      try store.database.read { connection in
        try connection.wanted(by: progress) {
          layouts.reduce(0) { $0 + StoredValueCheck(store, $1, connection, nil).expected }
        }
      }
    }
  }

  /// What the store's own table says; nothing where that is damaged, too.
  private mutating func tables(_ connection: Connection) throws -> [TableDefinition] {
    do {
      return try Bookkeeping.tables(on: connection, at: store.url)
    } catch let error as SQLiteError where error.code == .corrupt {
      note(.damagedFile, nil, nil, "The store's own table: \(error.message)")
    } catch let error as StoreError {
      note(.damagedFile, nil, nil, "The store's own table: \(error.explanation)")
    }
    return []
  }

  private mutating func checkValues(of layout: ModelLayout, _ connection: Connection) throws {
    let name = layout.entityName
    let externals = StoredValueCheck(store, layout, connection, progress).externals
    try goingOn("Rows of \(name)", name) { check in
      let values = StoredValueCheck(check.store, layout, connection, check.progress)
      // Where a page is damaged, rows are read up to it, and from the other end.
      if let last = try values.checkRows({ check.note(.unreadableValue, $0, $1, $2) }) {
        let first = try values.checkRows(backwards: true, after: last) { check.note(.unreadableValue, $0, $1, $2) }
        check.note(
          .damagedFile, name, nil,
          "Rows of \(name) that cannot be read lie \(StoredValueCheck.told(between: last, first)).")
      }
    }
    for (property, table) in externals where !unreadable.contains(table.name) {
      try goingOn("The table \"\(table.name)\"", name) { check in
        let values = StoredValueCheck(check.store, layout, connection, check.progress)
        try values.checkValues(of: property, in: table) { check.note(.unreadableValue, $0, $1, $2) }
      }
    }
  }

  /// What meets damage has found it, and the rest is looked at all the same.
  ///
  /// - Parameter subject: What is looked at.
  private mutating func goingOn(
    _ subject: String, _ entity: String? = nil, _ step: (inout IntegrityCheck) throws -> Void
  ) throws {
    try progress?.look()
    do {
      try step(&self)
    } catch let error as SQLiteError where error.code == .corrupt || error.code == .error {
      note(.damagedFile, entity, nil, "\(subject): \(error.message)")
    }
  }

  mutating func note(_ kind: IntegrityProblem.Kind, _ entity: String?, _ row: Int64?, _ explanation: String) {
    problems.append(
      IntegrityProblem(kind: kind, url: store.errorURL, entityName: entity, row: row, explanation: explanation))
  }

  private mutating func checkFile(_ connection: Connection) throws {
    try connection.withStatement(for: "PRAGMA integrity_check(\(IntegrityCheck.limit))") { statement in
      while try statement.step() {
        for damage in FileDamage.all(of: statement.string(0)) { note(.damagedFile, nil, nil, damage.sentence) }
      }
    }
  }

  private mutating func checkReferences(_ connection: Connection) throws {
    var counts: [String: Int] = [:]
    var found: [(table: String, row: Int64?, target: String)] = []
    try connection.withStatement(for: "PRAGMA foreign_key_check") { statement in
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
      unreadable.insert(name)
      note(.missingPart, table.name, nil, "The table \"\(name)\" of \"\(table.name)\" is not there.")
    }
    let indexes = table.indexes.filter { !table.unique.contains($0) }
    try checkIndexes(
      of: table.name,
      table.unique.map { WantedIndex(name: StoreFormat.uniqueIndex(table.name, $0), columns: $0, isUnique: true) }
        + indexes.map { WantedIndex(name: StoreFormat.index(table.name, $0), columns: $0) }, connection)
    for link in table.links ?? [] where !unreadable.contains(link.name) {
      try checkIndexes(
        of: link.name, link.indexes.map { WantedIndex(name: StoreFormat.index(link.name, $0), columns: $0) }, connection
      )
    }
  }

  private struct WantedIndex {
    let name: String
    let columns: [String]
    var isUnique = false
  }

  private mutating func checkIndexes(of table: String, _ wanted: [WantedIndex], _ connection: Connection) throws {
    let indexes = Dictionary(
      try StoredIndex.all(of: table, on: connection).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for one in wanted {
      let former = StoreFormat.formerName(ofIndex: one.isUnique, table, one.columns).flatMap { indexes[$0] }
      if former?.difference(fromColumns: one.columns, isUnique: one.isUnique) == nil, former != nil { continue }
      guard let index = indexes[one.name] else {
        note(.missingPart, table, nil, "The index \"\(one.name)\" of \"\(table)\" is not there.")
        continue
      }
      guard let difference = index.difference(fromColumns: one.columns, isUnique: one.isUnique) else { continue }
      note(
        .missingPart, table, nil,
        "The index \"\(one.name)\" of \"\(table)\" is another than the store's schema has: it \(difference).")
    }
  }

  /// Values apart from their rows, which each row must have.
  private mutating func checkPresence(
    of external: ExternalTable, in table: TableDefinition, _ connection: Connection
  ) throws {
    let q = StoreFormat.quoted
    let owner = external.owner(among: table.classNames)
    let family = table.isOfClass(table.family(of: owner ?? table.name), as: "f").map { "\($0) AND " } ?? ""
    let sql =
      "SELECT \(StoreFormat.identifierColumn) FROM \(q(table.name)) AS f WHERE \(family)NOT EXISTS (SELECT 1 "
      + "FROM \(q(external.name)) AS v WHERE v.\(ExternalTable.rowColumn) = f.\(StoreFormat.identifierColumn)) "
      + "LIMIT \(IntegrityCheck.limit)"
    let rows = try connection.withStatement(for: sql) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for row in rows {
      note(
        .unreadableValue, owner ?? table.name, row,
        "\(owner ?? table.name).\(external.property) of row \(row) is not there, and may not be nil.")
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
      while unreadable.count < IntegrityCheck.limit, try statement.step() {
        if (try? HistoryRecord(statement.string(1))) == nil { unreadable.append(statement.int64(0)) }
      }
    }
    for number in unreadable {
      note(.unreadableHistory, nil, number, "Transaction \(number) of the history cannot be read.")
    }
    let last = try HistoryTable.end(on: connection)
    if last > StoreFormat.largestCount {
      note(
        .unreadableHistory, nil, last,
        "The history's last number is \(last), beyond what a store counts to (\(StoreFormat.largestCount)): from the end of "
          + "what an integer holds no save is possible.")
    }
  }
}
