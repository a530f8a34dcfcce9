import Foundation
import LarderSQLite

/// The integrity check of one store.
struct IntegrityCheck {
  /// The maximum number of findings of one kind: a reader would not read more.
  static let maximumFindings = 100

  private let store: SQLiteStore
  let layouts: [_ModelLayout]
  private let progress: Progress?
  private var problems: [IntegrityProblem] = []
  /// The tables from which rows cannot be read, because they or some of their columns are missing.
  private(set) var unreadableTables: Set<String> = []

  init(_ store: SQLiteStore, _ layouts: [_ModelLayout], _ progress: Progress?) {
    self.store = store
    self.layouts = layouts
    self.progress = progress
  }

  mutating func run() throws -> [IntegrityProblem] {
    try StoreError.mapErrors(store.errorURL, "checking") {
      try store.database.read { connection in
        try connection.withCancellation(by: progress) { try check(connection) }
      }
    }
    return problems
  }

  private mutating func check(_ connection: Connection) throws {
    try continueOnCorruption("The file") { try $0.checkFile(connection) }
    try continueOnCorruption("What rows refer to") { try $0.checkReferences(connection) }
    let tables = try tables(connection)
    for table in tables {
      try continueOnCorruption("The table \"\(table.name)\"", table.name) {
        try $0.checkSchemaObjects(of: table, connection)
      }
    }
    for table in tables where !unreadableTables.contains(table.name) {
      try continueOnCorruption("The table \"\(table.name)\"", table.name) { try $0.checkClasses(of: table, connection) }
      try continueOnCorruption("The table \"\(table.name)\"", table.name) {
        try $0.checkOneToOnes(of: table, among: tables, connection)
      }
      try continueOnCorruption("The table \"\(table.name)\"", table.name) {
        try $0.checkDestinations(of: table, among: tables, connection)
      }
    }
    try continueOnCorruption("The history") { try $0.checkHistory(connection) }
    for table in tables where !unreadableTables.contains(table.name) {
      for external in table.externals ?? [] where !external.isOptional && !unreadableTables.contains(external.name) {
        try continueOnCorruption("The table \"\(external.name)\"", table.name) {
          try $0.checkExternalValues(of: external, in: table, connection)
        }
      }
    }
    let readable = Set(tables.map(\.name)).subtracting(unreadableTables)
    for layout in layouts where readable.contains(layout.tableName) {
      try checkValues(of: layout, connection)
    }
  }

  /// Returns the number of rows and external values that the check will read.
  func expectedCount() throws -> Int64 {
    try StoreError.mapErrors(store.errorURL, "checking") {
      try store.database.read { connection in
        try connection.withCancellation(by: progress) {
          layouts.reduce(0) { $0 + StoredValueCheck(store, $1, connection, nil).expectedCount }
        }
      }
    }
  }

  /// Returns the tables recorded by the store; empty if that record is damaged, too.
  private mutating func tables(_ connection: Connection) throws -> [TableDefinition] {
    do {
      return try StoreMetadata.tables(on: connection, at: store.url)
    } catch let error as SQLiteError where error.code == .corrupt {
      report(.damagedFile, nil, nil, "The store's own table: \(error.message)")
    } catch let error as StoreError {
      report(.damagedFile, nil, nil, "The store's own table: \(error.explanation)")
    }
    return []
  }

  private mutating func checkValues(of layout: _ModelLayout, _ connection: Connection) throws {
    let name = layout.entityName
    let externals = StoredValueCheck(store, layout, connection, progress).externals
    try continueOnCorruption("Rows of \(name)", name) { check in
      let values = StoredValueCheck(check.store, layout, connection, check.progress)
      // If a page is damaged, rows are read up to it, and then from the other end.
      if let last = try values.checkRows({ check.report(.unreadableValue, $0, $1, $2) }) {
        let first = try values.checkRows(backwards: true, after: last) { check.report(.unreadableValue, $0, $1, $2) }
        check.report(
          .damagedFile, name, nil,
          "Rows of \(name) that cannot be read lie \(StoredValueCheck.describeGap(between: last, first)).")
      }
    }
    for (property, table) in externals where !unreadableTables.contains(table.name) {
      try continueOnCorruption("The table \"\(table.name)\"", name) { check in
        let values = StoredValueCheck(check.store, layout, connection, check.progress)
        try values.checkValues(of: property, in: table) { check.report(.unreadableValue, $0, $1, $2) }
      }
    }
  }

  /// Runs a step. If it fails because of damage, the damage is reported and the check continues.
  ///
  /// - Parameter subject: The part of the store that the step checks.
  private mutating func continueOnCorruption(
    _ subject: String, _ entity: String? = nil, _ step: (inout IntegrityCheck) throws -> Void
  ) throws {
    try progress?.checkCancellation()
    do {
      try step(&self)
    } catch let error as SQLiteError where error.code == .corrupt || error.code == .error {
      report(.damagedFile, entity, nil, "\(subject): \(error.message)")
    }
  }

  mutating func report(_ kind: IntegrityProblem.Kind, _ entity: String?, _ row: Int64?, _ explanation: String) {
    problems.append(
      IntegrityProblem(kind: kind, url: store.errorURL, entityName: entity, row: row, explanation: explanation))
  }

  private mutating func checkFile(_ connection: Connection) throws {
    try connection.withStatement(for: "PRAGMA integrity_check(\(IntegrityCheck.maximumFindings))") { statement in
      while try statement.step() {
        for damage in CorruptionMessage.all(of: statement.string(0)) { report(.damagedFile, nil, nil, damage.sentence) }
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
        if counts[table, default: 0] > IntegrityCheck.maximumFindings { continue }
        found.append((table, statement.isNull(1) ? nil : statement.int64(1), statement.string(2)))
      }
    }
    for (table, row, target) in found {
      let place = row.map { "Row \($0)" } ?? "A pair"
      report(
        .missingReference, table, row, "\(place) of \"\(table)\" refers to a row of \"\(target)\" that is not there.")
    }
  }

  private mutating func checkSchemaObjects(of table: TableDefinition, _ connection: Connection) throws {
    let present = try columns(table.name, connection)
    if present.isEmpty {
      unreadableTables.insert(table.name)
      return report(.missingSchemaObject, table.name, nil, "The table \"\(table.name)\" is not there.")
    }
    let own =
      [StoreFormat.identifierColumn, StoreFormat.versionColumn]
      + (table.classes == nil ? [] : [StoreFormat.classColumn])
    for name in own + table.columns.map(\.name) where !present.contains(name) {
      unreadableTables.insert(table.name)
      report(.missingSchemaObject, table.name, nil, "The table \"\(table.name)\" has no column \"\(name)\".")
    }
    for name in table.companionTables where try columns(name, connection).isEmpty {
      unreadableTables.insert(name)
      report(.missingSchemaObject, table.name, nil, "The table \"\(name)\" of \"\(table.name)\" is not there.")
    }
    let indexes = table.indexes.filter { !table.unique.contains($0) }
    try checkIndexes(
      of: table.name,
      table.unique.map { ExpectedIndex(name: StoreFormat.uniqueIndexName(table.name, $0), columns: $0, isUnique: true) }
        + indexes.map { ExpectedIndex(name: StoreFormat.indexName(table.name, $0), columns: $0) }, connection)
    for joinTable in table.joinTables ?? [] where !unreadableTables.contains(joinTable.name) {
      try checkIndexes(
        of: joinTable.name,
        joinTable.indexes.map { ExpectedIndex(name: StoreFormat.indexName(joinTable.name, $0), columns: $0) },
        connection
      )
    }
  }

  private struct ExpectedIndex {
    let name: String
    let columns: [String]
    var isUnique = false
  }

  private mutating func checkIndexes(of table: String, _ wanted: [ExpectedIndex], _ connection: Connection) throws {
    let indexes = Dictionary(
      try StoredIndex.all(of: table, on: connection).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for one in wanted {
      let former = StoreFormat.legacyIndexName(isUnique: one.isUnique, table, one.columns).flatMap { indexes[$0] }
      if former?.difference(fromColumns: one.columns, isUnique: one.isUnique) == nil, former != nil { continue }
      guard let index = indexes[one.name] else {
        report(.missingSchemaObject, table, nil, "The index \"\(one.name)\" of \"\(table)\" is not there.")
        continue
      }
      guard let difference = index.difference(fromColumns: one.columns, isUnique: one.isUnique) else { continue }
      report(
        .missingSchemaObject, table, nil,
        "The index \"\(one.name)\" of \"\(table)\" is another than the store's schema has: it \(difference).")
    }
  }

  /// Reports missing external values that each row must have.
  private mutating func checkExternalValues(
    of external: ExternalTable, in table: TableDefinition, _ connection: Connection
  ) throws {
    let q = StoreFormat.quoted
    let owner = external.owner(among: table.classNames)
    let family = table.classCondition(table.family(of: owner ?? table.name), as: "f").map { "\($0) AND " } ?? ""
    let sql =
      "SELECT \(StoreFormat.identifierColumn) FROM \(q(table.name)) AS f WHERE \(family)NOT EXISTS (SELECT 1 "
      + "FROM \(q(external.name)) AS v WHERE v.\(ExternalTable.rowColumn) = f.\(StoreFormat.identifierColumn)) "
      + "LIMIT \(IntegrityCheck.maximumFindings)"
    let rows = try connection.withStatement(for: sql) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for row in rows {
      report(
        .unreadableValue, owner ?? table.name, row,
        "\(owner ?? table.name).\(external.property) of row \(row) is not there, and may not be nil.")
    }
  }

  /// Returns the columns of a table; empty if the table does not exist.
  private func columns(_ name: String, _ connection: Connection) throws -> Set<String> {
    Set(try StoreMetadata.strings("SELECT name FROM pragma_table_info(\(StoreFormat.literal(name)))", on: connection))
  }

  private mutating func checkHistory(_ connection: Connection) throws {
    guard try connection.int64("PRAGMA user_version") ?? 0 >= 2 else { return }
    if try columns(HistoryTable.name, connection).isEmpty {
      return report(.missingSchemaObject, nil, nil, "The table \"\(HistoryTable.name)\" is not there.")
    }
    var unreadable: [Int64] = []
    try connection.withStatement(for: "SELECT number, changes FROM \(HistoryTable.name)") { statement in
      while unreadable.count < IntegrityCheck.maximumFindings, try statement.step() {
        if (try? HistoryRecord(statement.string(1))) == nil { unreadable.append(statement.int64(0)) }
      }
    }
    for number in unreadable {
      report(.unreadableHistory, nil, number, "Transaction \(number) of the history cannot be read.")
    }
    let last = try HistoryTable.lastNumber(on: connection)
    if last > StoreFormat.maximumCounter {
      report(
        .unreadableHistory, nil, last,
        "The history's last number is \(last), beyond what a store counts to (\(StoreFormat.maximumCounter)): from the end of "
          + "what an integer holds no save is possible.")
    }
  }
}
