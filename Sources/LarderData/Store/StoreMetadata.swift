package import Foundation
package import LarderSQLite
import LarderSupport

/// The store's own table: its identifier, the next free row ID and the whole schema.
package enum StoreMetadata {
  private static let table = StoreFormat.metadataTable

  enum Key {
    static let store = "store"
    static let nextIdentifier = "next_identifier"
    static let schema = "schema"
    static let version = "version"
    static let previousCopy = "former"
    static let historyDeleted = "history_deleted"
    static let commits = "commits"
  }

  /// The kind of a database: empty, Larder's, an unfinished import, or another program's. Finding out writes nothing.
  package enum Kind {
    case empty
    case larder(version: Int64)
    case unfinishedImport
    case foreign(tables: [String])
  }

  package static func kind(of connection: Connection) throws -> Kind {
    let application = try connection.int64("PRAGMA application_id") ?? 0
    if application == StoreFormat.applicationID {
      return .larder(version: try connection.int64("PRAGMA user_version") ?? 0)
    }
    let marks = try connection.int64(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(StoreFormat.importTable)'")
    if let marks, marks > 0 { return .unfinishedImport }
    let tables = try strings("SELECT name FROM sqlite_schema ORDER BY name LIMIT 5", on: connection)
    return tables.isEmpty && application == 0 ? .empty : .foreign(tables: tables)
  }

  /// Makes an empty database a store. Runs inside the transaction that creates the first tables.
  package static func create(on connection: Connection) throws {
    try create([(Key.store, .text(UUID().uuidString)), (Key.nextIdentifier, .integer(1))], on: connection)
    try connection.execute(HistoryTable.creation)
  }

  /// Upgrades a store of an earlier version of the format. Runs inside a transaction.
  package static func upgradeFormat(on connection: Connection) throws {
    // Another process may have upgraded it first.
    guard case .larder(let version) = try kind(of: connection), version < StoreFormat.version else { return }
    if version < 2 { try connection.execute(HistoryTable.creation) }
    try countUnrecordedCommit(on: connection)
    try connection.execute("PRAGMA user_version = \(StoreFormat.version)")
  }

  package static func storeIdentifier(on connection: Connection) throws -> String? {
    guard case .text(let identifier)? = try value(Key.store, on: connection) else { return nil }
    return identifier
  }

  // MARK: Row identifiers

  /// Reserves `size` row IDs and returns the first one, which is above those of all existing rows: other programs insert rows
  /// without a reservation.
  ///
  /// - Parameter isAlone: Whether the transaction does nothing else, so that the history does not record it.
  package static func reserveIdentifiers(
    _ size: Int64, on connection: Connection, isWholeTransaction isAlone: Bool = true
  ) throws -> Int64 {
    var next: Int64 = 1
    if case .integer(let stored)? = try value(Key.nextIdentifier, on: connection), stored < StoreFormat.unreservedBase {
      next = max(stored, 1)
    }
    for table in try tableNames(on: connection) {
      let highest = try highestIdentifier(StoreFormat.quoted(table), on: connection)
      next = max(next, highest + 1)
    }
    try set(Key.nextIdentifier, .integer(next + size), on: connection)
    if isAlone { try countUnrecordedCommit(on: connection) }
    return next
  }

  /// Returns the highest row ID of a table within the range of blocks.
  private static func highestIdentifier(_ table: String, on connection: Connection) throws -> Int64 {
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT max(\(id)) FROM \(table) WHERE \(id) < \(StoreFormat.unreservedBase - StoreFormat.maximumBlockSize)"
    return try connection.int64(sql) ?? 0
  }

  /// Releases row IDs, if no others were reserved since.
  ///
  /// - Parameter isAlone: Whether the transaction does nothing else, so that the history does not record it.
  package static func releaseIdentifiers(
    _ unused: Range<Int64>, on connection: Connection, isWholeTransaction isAlone: Bool = true
  ) throws {
    guard case .integer(let stored)? = try value(Key.nextIdentifier, on: connection) else { return }
    guard stored == unused.upperBound else { return }
    try set(Key.nextIdentifier, .integer(unused.lowerBound), on: connection)
    if isAlone { try countUnrecordedCommit(on: connection) }
  }

  // MARK: Schema

  package static func tables(on connection: Connection) throws -> [TableDefinition] {
    try tables(in: value(Key.schema, on: connection))
  }

  private static func tableNames(on connection: Connection) throws -> [String] {
    try tables(on: connection).map(\.name)
  }

  /// The decoded table definitions, by the schema's text. The text is read several times while a store opens, and with each
  /// block of row IDs; it changes only with a migration.
  private static let schemaCache = Locked<[String: [TableDefinition]]>([:])
  private static let maximumCachedSchemas = 16
  /// The maximum length of a cached text, in bytes: a damaged file may contain a text of any length.
  private static let maximumCachedLength = 1 << 20

  private static func tables(in schema: _StoredValue?) throws -> [TableDefinition] {
    guard let schema else { return [] }
    guard case .text(let json) = schema else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The schema is no text."))
    }
    if let known = schemaCache.withLock({ $0[json] }) { return known }
    let tables = try JSONDecoder().decode([TableDefinition].self, from: Data(json.utf8))
    if json.utf8.count > maximumCachedLength { return tables }
    schemaCache.withLock { known in
      if known.count == maximumCachedSchemas { known = [:] }
      known[json] = tables
    }
    return tables
  }

  /// Returns the table definitions, and throws an error that names the file if they are damaged.
  package static func tables(on connection: Connection, at url: URL) throws -> [TableDefinition] {
    do { return try tables(on: connection) } catch is DecodingError { throw StoreError.damagedSchema(url) }
  }

  package static func setTables(_ tables: [TableDefinition], on connection: Connection) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(tables), as: UTF8.self)
    try set(Key.schema, .text(json), on: connection)
  }

  /// Returns the schema version of the last migration; `nil` in stores from before it was kept.
  package static func version(on connection: Connection) throws -> Schema.Version? {
    guard case .text(let text)? = try value(Key.version, on: connection) else { return nil }
    return parseVersion(text)
  }

  /// Parses a version such as "2.0.0".
  package static func parseVersion(_ text: String?) -> Schema.Version? {
    guard let text else { return nil }
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    return numbers.count == 3 ? Schema.Version(numbers[0], numbers[1], numbers[2]) : nil
  }

  package static func setVersion(_ version: Schema.Version, on connection: Connection) throws {
    try set(Key.version, .text(version.description), on: connection)
  }

  /// Returns the number of the migration before which the existing backup of the store was made; `nil` if there is no backup.
  /// In the backup itself it is the number of the migration before that.
  package static func previousCopy(on connection: Connection) throws -> Int64? {
    guard case .integer(let number)? = try value(Key.previousCopy, on: connection) else { return nil }
    return number
  }

  package static func setPreviousCopy(_ number: Int64?, on connection: Connection) throws {
    if let number { return try set(Key.previousCopy, .integer(number), on: connection) }
    try connection.withStatement(for: "DELETE FROM \(table) WHERE key = ?1") { statement in
      statement.bind(1, Key.previousCopy)
      try statement.run()
    }
  }

  // MARK: History

  /// Returns the number of the last transaction that was deleted from the history; 0 if none was.
  static func lastDeletedTransaction(on connection: Connection) throws -> Int64 {
    guard case .integer(let number)? = try value(Key.historyDeleted, on: connection) else { return 0 }
    return number
  }

  static func setLastDeletedTransaction(_ number: Int64, on connection: Connection) throws {
    if try number > lastDeletedTransaction(on: connection) {
      try set(Key.historyDeleted, .integer(number), on: connection)
    }
  }

  // MARK: Other processes

  /// Counts a transaction that the history does not record, so that other processes know that it changed none of their rows.
  static func countUnrecordedCommit(on connection: Connection) throws {
    let sql =
      "INSERT INTO \(table) VALUES (?1, 1) ON CONFLICT (key) DO UPDATE SET value = 1 + CAST(value AS INTEGER)"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, Key.commits)
      try statement.run()
    }
  }

  // MARK: All entries

  /// Returns all entries of the metadata table, sorted by key.
  package static func entries(on connection: Connection) throws -> [(key: String, value: _StoredValue)] {
    try connection.withStatement(for: "SELECT key, value FROM \(table) ORDER BY key") { statement in
      var entries: [(key: String, value: _StoredValue)] = []
      while try statement.step() {
        entries.append((statement.string(0), _StoredValue(column: 1, of: statement.handle)))
      }
      return entries
    }
  }

  /// Makes a database a store with the specified entries. Runs inside the transaction that completes the store.
  package static func create(_ entries: [(key: String, value: _StoredValue)], on connection: Connection) throws {
    try connection.execute("PRAGMA application_id = \(StoreFormat.applicationID)")
    try connection.execute("PRAGMA user_version = \(StoreFormat.version)")
    try connection.execute("CREATE TABLE \(table) (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID")
    for entry in entries { try set(entry.key, entry.value, on: connection) }
  }

  /// Returns the first invalid entry: a counter that is no number, or out of range.
  package static func invalidCounter(
    in entries: [(key: String, value: _StoredValue)]
  ) -> (key: String, value: _StoredValue)? {
    entries.first { entry in
      guard [Key.nextIdentifier, Key.historyDeleted, Key.commits].contains(entry.key) else { return false }
      guard case .integer(let number) = entry.value else { return true }
      return !(0...StoreFormat.maximumCounter).contains(number)
    }
  }

  /// Returns the tables of the entry with the key `schema`.
  package static func tables(of entries: [(key: String, value: _StoredValue)]) throws -> [TableDefinition] {
    try tables(in: entries.first { $0.key == Key.schema }?.value)
  }

  // MARK: Values

  private static func value(_ key: String, on connection: Connection) throws -> _StoredValue? {
    try connection.withStatement(for: "SELECT value FROM \(table) WHERE key = ?1") { statement in
      statement.bind(1, key)
      return try statement.step() ? _StoredValue(column: 0, of: statement.handle) : nil
    }
  }

  private static func set(_ key: String, _ value: _StoredValue, on connection: Connection) throws {
    let sql = "INSERT INTO \(table) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, key)
      statement.bind(2, value)
      try statement.run()
    }
  }

  package static func strings(_ sql: String, on connection: Connection) throws -> [String] {
    try connection.withStatement(for: sql) { statement in
      var result: [String] = []
      while try statement.step() { result.append(statement.string(0)) }
      return result
    }
  }
}
