package import Foundation
import LarderData
import LarderSQLite

/// Creates a store from the lines of an export.
///
/// Rows are committed in batches, together with the position in the export: an interrupted import continues from there. Until the
/// last
/// transaction the file cannot be opened as a store.
package struct StoreImport {
  private let source: FileHandle
  private let path: String
  private let batchSize: Int
  private let maximumLineLength: Int
  private let progress: (_ rows: Int) throws -> Void

  /// The number of rows, or bytes, in one transaction.
  package static let rowsPerBatch = 10_000
  private static let bytesPerBatch: UInt64 = 8 << 20
  /// 64 MiB: the schema of tens of thousands of models.
  private static let maximumHeaderLength = 64 << 20
  private static let sqliteMagic = "SQLite format 3\0"

  package init(
    _ source: FileHandle, to path: String, batchSize batch: Int = StoreImport.rowsPerBatch,
    maximumLineLength longestLine: Int? = nil,
    progress: @escaping (_ rows: Int) throws -> Void = { _ in }
  ) {
    self.source = source
    self.path = path
    self.batchSize = max(1, batch)
    self.maximumLineLength = longestLine ?? LineReader.maximumLength
    self.progress = progress
  }

  /// The progress of the import.
  private struct State: Codable {
    var header: Data
    var lines = 0
    /// The digest of the lines that have been read.
    var digest: UInt64 = 0
    var rows = 0
    var table: TransferTable?
    var isOver = false
  }

  /// Imports the export.
  ///
  /// - Returns: The number of rows.
  package func run() throws -> Int {
    if let owner = SQLiteStore.owner(ofFileAt: path) {
      throw ToolError(
        description:
          "\(path) has the name of a file that belongs to \(owner), which would take it for that. Choose another name.")
    }
    // nil if the export comes through a pipe, which can be read only once.
    let start = try? source.offset()
    var reader = LineReader(source)
    reader.maximumLength = Self.maximumHeaderLength
    guard let line = try read(&reader) else { throw ToolError(description: "The export is empty.") }
    reader.maximumLength = maximumLineLength
    let header = Data(line)
    let (known, tables) = try readHeader(header)
    let database = try Database(path: path) { try checkDestination($0) }
    defer { database.close() }
    var state = try beginImport(database, header, tables, reader)
    if state.lines > reader.lineCount {
      // The import continues after the lines that it has imported, which are read again.
      while reader.lineCount < state.lines, try read(&reader) != nil {}
      guard reader.digest == state.digest else { throw differentExportError }
    }
    while !state.isOver { try readBatch(&reader, &state, database, tables) }
    if try read(&reader) != nil {
      throw ToolError(description: "Line \(reader.lineCount) follows the end of the export.")
    }
    try finish(database, known, tables, start)
    return state.rows
  }

  /// Reads the first line, the store's metadata.
  private func readHeader(_ header: Data) throws -> (TransferHeader, [TableDefinition]) {
    guard let known = try? JSONDecoder().decode(TransferHeader.self, from: header) else {
      if header.starts(with: Self.sqliteMagic.utf8) {
        throw ToolError(
          description:
            "This is a database, and no export of larder's: line 1 is none of an export's. Write one by larder export STORE "
            + "FILE, or copy the store by larder backup STORE FILE.")
      }
      throw ToolError(
        description:
          "This is no export of larder's: line 1 should say what the store knows of itself, as in "
          + #"{"entries":[…],"larder":1,"store":2}. Write one by larder export STORE FILE."#)
    }
    guard known.larder <= TransferHeader.version, known.store <= StoreFormat.version else {
      throw ToolError(description: "The export was made by a later version of Larder. Import it by that.")
    }
    let keys = known.entries.map(\.key)
    guard keys.contains("store"), Set(keys).count == keys.count else {
      throw ToolError(description: "The first line is none of an export's: it does not say which store it is of.")
    }
    if let count = StoreMetadata.invalidCounter(in: known.values) {
      throw ToolError(
        description:
          "The first line is none of an export's: \(count.key) is \(count.value), and may be 0 to "
          + "\(StoreFormat.maximumCounter).")
    }
    do {
      return (known, try StoreMetadata.tables(of: known.values))
    } catch is DecodingError {
      throw ToolError(description: "The first line is none of an export's: its schema is none of a store's.")
    }
  }

  private func read(_ reader: inout LineReader) throws -> ArraySlice<UInt8>? {
    do { return try reader.next() } catch is LineReader.LineTooLongError {
      throw ToolError(description: "Line \(reader.lineCount + 1) is longer than a row can be.")
    }
  }

  /// Throws if the file is not empty, unless an earlier import has begun it.
  private func checkDestination(_ connection: Connection) throws {
    let tables = try connection.int64("SELECT count(*) FROM sqlite_schema") ?? 0
    if try tables > 0 && !isImport(on: connection) {
      throw ToolError(description: "\(path) is there already. Import into a new file.")
    }
  }

  private var differentExportError: ToolError {
    ToolError(
      description:
        "\(path) was begun with another export, be it of the same store. Go on with that, or delete the file.")
  }

  // MARK: Tables

  private func beginImport(
    _ database: Database, _ header: Data, _ tables: [TableDefinition], _ reader: LineReader
  ) throws -> State {
    try database.withWriter { connection in
      // Rows may precede the rows that they reference. Foreign keys are checked at the end.
      try connection.execute("PRAGMA foreign_keys = OFF")
      return try connection.transaction {
        if let state = try self.state(on: connection) {
          guard state.header == header, state.rows >= 0, state.rows < .max / 2 else { throw differentExportError }
          return state
        }
        try connection.execute("CREATE TABLE \(StoreFormat.importTable) (state TEXT NOT NULL) STRICT")
        for table in tables {
          try connection.execute(table.tableCreation)
          for joinTable in table.joinTables ?? [] { try connection.execute(joinTable.tableCreation) }
          for external in table.externals ?? [] { try connection.execute(external.createTable) }
        }
        try connection.execute(HistoryTable.creation)
        let state = State(header: header, lines: reader.lineCount, digest: reader.digest)
        try saveState(state, on: connection)
        return state
      }
    }
  }

  private func isImport(on connection: Connection) throws -> Bool {
    try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name = '\(StoreFormat.importTable)'") == 1
  }

  private func state(on connection: Connection) throws -> State? {
    guard try isImport(on: connection), let text = try connection.string("SELECT state FROM \(StoreFormat.importTable)")
    else { return nil }
    return try JSONDecoder().decode(State.self, from: Data(text.utf8))
  }

  private func saveState(_ state: State, on connection: Connection) throws {
    try connection.execute("DELETE FROM \(StoreFormat.importTable)")
    try connection.withStatement(for: "INSERT INTO \(StoreFormat.importTable) VALUES (?1)") { statement in
      statement.bind(1, String(decoding: try JSONEncoder().encode(state), as: UTF8.self))
      try statement.run()
    }
  }

  // MARK: Rows

  private func readBatch(
    _ reader: inout LineReader, _ state: inout State, _ database: Database, _ tables: [TableDefinition]
  ) throws {
    var next = state
    try database.withWriter { connection in
      try connection.transaction {
        let start = reader.offset
        let last = next.rows + batchSize
        while !next.isOver, next.rows < last, reader.offset - start < Self.bytesPerBatch {
          guard let line = try read(&reader) else {
            throw ToolError(
              description: "The export breaks off after line \(reader.lineCount). Import the whole one; this goes on.")
          }
          do {
            try importLine(line, &next, tables, on: connection)
          } catch let error as RowParser.ParseError {
            throw ToolError(description: "Line \(reader.lineCount) \(error.reason).")
          } catch let error as SQLiteError where error.code == .constraint || error.code == .mismatch {
            throw ToolError(
              description: "Line \(reader.lineCount) cannot be a row of \(next.table?.table ?? "?"): \(error.message).")
          }
        }
        next.lines = reader.lineCount
        next.digest = reader.digest
        try saveState(next, on: connection)
      }
    }
    state = next
    try progress(state.rows)
  }

  private func importLine(
    _ line: ArraySlice<UInt8>, _ state: inout State, _ tables: [TableDefinition], on connection: Connection
  ) throws {
    if line.first == UInt8(ascii: "{") { return try importMarker(line, &state, tables, on: connection) }
    guard let table = state.table else { throw RowParser.ParseError(reason: "is a row of no table") }
    var scanner = RowParser(line)
    let values = try scanner.parseRow(limit: table.columns.count)
    guard values.count == table.columns.count else {
      throw RowParser.ParseError(
        reason: "has \(values.count) values, and \(table.table) has \(table.columns.count) columns")
    }
    try checkCounters(of: values, in: table)
    try connection.withStatement(for: table.insertion) { statement in
      for (place, value) in values.enumerated() {
        let index = Int32(place + 1)
        switch value {
        case .null: statement.bindNull(index)
        case .integer(let number): statement.bind(index, number)
        case .real(let number): statement.bind(index, number)
        case .text(let text): text.withUnsafeBufferPointer { statement.bindText(index, $0) }
        case .blob(let bytes): statement.bind(index, bytes)
        }
      }
      try statement.run()
    }
    state.rows += 1
  }

  /// Validates a number that each save increments: it must leave room for increments, or saves to the new store would fail. It must
  /// be
  /// written as a number, since SQLite converts a text or a real.
  private func checkCounters(of values: [Cell], in table: TransferTable) throws {
    let isHistory = table.table == HistoryTable.name
    let name = isHistory ? HistoryTable.numberColumn : StoreFormat.versionColumn
    guard let place = table.columns.firstIndex(of: name) else { return }
    guard case .integer(let number) = values[place] else {
      throw RowParser.ParseError(reason: "has no integer as \(name)")
    }
    // A row's version that another program has written may be negative, which does not prevent saves.
    if number <= StoreFormat.maximumCounter, number >= 0 || !isHistory { return }
    let limits = isHistory ? "0 to \(StoreFormat.maximumCounter)" : "\(StoreFormat.maximumCounter) at most"
    throw RowParser.ParseError(reason: "has \(number) as \(name), which may be \(limits)")
  }

  private func importMarker(
    _ line: ArraySlice<UInt8>, _ state: inout State, _ tables: [TableDefinition], on connection: Connection
  ) throws {
    if let end = try? JSONDecoder().decode(TransferEnd.self, from: Data(line)) {
      guard end.rows == state.rows else {
        throw RowParser.ParseError(reason: "says that there are \(end.rows) rows, and there were \(state.rows)")
      }
      state.isOver = true
      return
    }
    guard let table = try? JSONDecoder().decode(TransferTable.self, from: Data(line)) else {
      throw RowParser.ParseError(reason: "is neither a row nor a table")
    }
    let names = [HistoryTable.name] + tables.flatMap { [$0.name] + $0.companionTables }
    guard names.contains(table.table) else {
      throw RowParser.ParseError(reason: "names a table that the store does not have")
    }
    try addColumns(table.added ?? [:], to: table.table, on: connection)
    let columns = try TableColumns(table.table, on: connection).names
    guard !table.columns.isEmpty, Set(table.columns).count == table.columns.count,
      Set(table.columns).isSubset(of: columns)
    else { throw RowParser.ParseError(reason: "names columns that the table does not have, or some of them twice") }
    state.table = table
  }

  /// Adds columns that were added to the original by hand. Their values are kept; a NOT NULL constraint is not.
  private func addColumns(_ added: [String: String], to table: String, on connection: Connection) throws {
    let there = try TableColumns(table, on: connection).names
    for (name, type) in added.sorted(by: { $0.key < $1.key }) where !there.contains(name) {
      guard TransferTable.types.contains(type.uppercased()), !name.isEmpty else {
        throw RowParser.ParseError(
          reason: "adds the column \"\(name)\" of the type \"\(type)\", which is none of a store's")
      }
      do {
        try connection.execute(
          "ALTER TABLE \(StoreFormat.quoted(table)) ADD COLUMN \(StoreFormat.quoted(name)) \(type.uppercased())")
      } catch let error as SQLiteError where error.code == .error {
        throw RowParser.ParseError(reason: "adds the column \"\(name)\", which cannot be: \(error.message)")
      }
    }
  }

  // MARK: The end

  private func finish(
    _ database: Database, _ header: TransferHeader, _ tables: [TableDefinition], _ start: UInt64?
  ) throws {
    try database.withWriter { connection in
      do {
        try connection.transaction {
          for table in tables {
            for sql in table.indexCreation + (table.joinTables ?? []).flatMap(\.indexCreation) {
              try connection.execute(sql)
            }
          }
          if let broken = try ImportConflict.missingReference(in: tables, on: connection) {
            throw error(
              "Rows of \(broken.table) refer to rows that the export does not have: \(locations(of: broken, start)) "
                + "to \(broken.values).")
          }
          try connection.execute("DROP TABLE \(StoreFormat.importTable)")
          try StoreMetadata.create(header.values, on: connection)
        }
      } catch let error as SQLiteError where error.code == .constraint {
        guard let clash = try ImportConflict.uniquenessConflict(in: tables, on: connection) else {
          throw self.error("The export has rows of which there may be one only: \(error.message).")
        }
        throw self.error(
          "The export has rows of \(clash.table) of which there may be one only, since \(clash.columns) must be unique: "
            + "\(locations(of: clash, start)) with \(clash.values).")
      }
    }
  }

  /// Returns an error in rows that are already imported, which continuing the import cannot correct.
  private func error(_ reason: String) -> ToolError {
    ToolError(
      description:
        "\(reason) \(path) is not finished: correct the export, delete \(path), and import into it again.")
  }

  /// Returns the line numbers of a conflict's rows, or the rows' numbers if the export cannot be read again.
  private func locations(of conflict: ImportConflict, _ start: UInt64?) -> String {
    var lines: [Int] = []
    if let start, (try? source.seek(toOffset: start)) != nil {
      // If the export cannot be read again, the rows' numbers identify the rows.
      lines =
        (try? conflict.lines(
          of: source, maximumHeaderLength: Self.maximumHeaderLength, maximumLineLength: maximumLineLength)) ?? []
    }
    let more = conflict.additionalRowCount == 0 ? "" : " (and \(conflict.additionalRowCount) more)"
    if lines.count < conflict.rows.count {
      return "the row\(conflict.rows.count == 1 ? "" : "s") \(conflict.keys)\(more)"
    }
    return "line\(lines.count == 1 ? "" : "s") \(lines.map(String.init).joined(separator: " and "))\(more)"
  }
}
