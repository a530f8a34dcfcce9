import LarderData
import LarderSQLite
import LarderSupport

/// Checks, with empty tables in memory, which of the user's own indexes, triggers and views can be kept.
///
/// Only SQLite can tell which names such a text uses. So the same renames as in the migration are executed there, and
/// SQLite rewrites the texts; then each is created on the new tables to see whether that works.
struct SchemaObjectDryRun {
  private let migration: StoreMigration
  private let schema: [UserSchemaObjects.SchemaEntry]
  /// Returns the declarations of the columns that the user added to a table.
  private let columns: (TableDefinition) -> [String]
  private let quoted = StoreFormat.quoted

  init(
    _ migration: StoreMigration, _ schema: [UserSchemaObjects.SchemaEntry],
    columns: @escaping (TableDefinition) -> [String]
  ) {
    self.migration = migration
    self.schema = schema
    self.columns = columns
  }

  struct Result {
    /// The objects to create.
    var objects: [UserSchemaObjects.SchemaObject] = []
    /// The constraints of the new tables, by table name.
    var constraints: [String: [String]] = [:]
    /// The obstacles, as sentences.
    var problems: [String] = []
  }

  func run(_ things: [UserSchemaObjects.SchemaObject]) throws -> Result {
    let views = things.filter { $0.kind == .view }
    let ordered = views + things.filter { $0.kind == .index } + things.filter { $0.kind == .trigger }
    let (sound, broken, constraints) = try withMemoryDatabase { connection in
      makeTables(schema, on: connection)
      let (sound, broken) = try create(ordered, on: connection)
      renameTables(on: connection)
      return (try sound.map { try refreshed($0, on: connection) }, broken, try self.constraints(on: connection))
    }
    return try withMemoryDatabase { connection in
      var problems: [String] = []
      for table in migration.tables {
        let constraints = constraints[table.name] ?? []
        for sql in table.creation(with: columns(table) + constraints) {
          do { try connection.execute(sql) } catch let error as SQLiteError {
            let what = constraints.isEmpty ? "columns" : "constraints"
            problems.append(
              "\(what) were added to \(table.name) by hand that cannot be there any more (\(error.message)). Drop them "
                + "before")
          }
        }
      }
      if !problems.isEmpty { return Result(problems: problems) }
      let former = Set(migration.store.tables.flatMap { [$0.name] + $0.companionTables })
      makeTables(schema.filter { !former.contains($0.name) }, on: connection)
      let (made, failed) = try create(sound, on: connection)
      // An object that was invalid before is not broken by the migration, and keeps its text.
      let kept = broken.filter { (try? connection.execute($0.creation)) != nil }
      problems = failed.map { thing in
        "the \(thing.kind.rawValue) \"\(thing.name)\", which was made by hand, needs what is no longer there. Drop it before"
      }
      let all = made + kept
      return Result(
        objects: all.filter { $0.kind == .view } + all.filter { $0.kind != .view }, constraints: constraints,
        problems: problems)
    }
  }

  /// Returns the constraints of the tables after all renames, which SQLite has applied to them, too.
  private func constraints(on connection: Connection) throws -> [String: [String]] {
    var constraints: [String: [String]] = [:]
    for change in migration.changes where change.isRebuilt && originalTable(of: change.definition) != nil {
      let name = change.definition.name
      let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(StoreFormat.literal(name))"
      let found = ColumnDeclarations(try StoreMetadata.strings(sql, on: connection).first ?? "").constraints
      if !found.isEmpty { constraints[name] = found }
    }
    return constraints
  }

  private func withMemoryDatabase<Made>(_ body: (Connection) throws -> Made) throws -> Made {
    // A database with the same protection against hostile files as the store's own.
    let database = try Database(inMemory: DatabaseSettings()) { try PredicateFunctions.register(on: $0) }
    defer { database.close() }
    return try database.withWriter { connection in
      try connection.execute("PRAGMA foreign_keys = OFF; CREATE TABLE \(quoted(SchemaObjectDryRun.probeTable)) (a)")
      return try body(connection)
    }
  }

  /// Creates the tables. A table that fails here is a shadow table of a virtual table, or needs a module that this
  /// program lacks.
  private func makeTables(_ schema: [UserSchemaObjects.SchemaEntry], on connection: Connection) {
    let tables = schema.filter { $0.type == "table" }
    func isVirtual(_ entry: UserSchemaObjects.SchemaEntry) -> Bool {
      entry.sql.uppercased().hasPrefix("CREATE VIRTUAL")
    }
    for table in tables.filter(isVirtual) + tables.filter({ !isVirtual($0) }) { try? connection.execute(table.sql) }
  }

  // MARK: Creating objects

  private static let probeTable = "\(StoreFormat.prefix)probe"

  /// Creates as many objects as possible: a view may select from a later one.
  private func create(
    _ things: [UserSchemaObjects.SchemaObject], on connection: Connection
  ) throws -> (made: [UserSchemaObjects.SchemaObject], failed: [UserSchemaObjects.SchemaObject]) {
    var made: [UserSchemaObjects.SchemaObject] = []
    var left = things
    while true {
      let before = left.count
      left = try left.filter { thing in
        if try create(thing, on: connection) {
          made.append(thing)
          return false
        }
        return true
      }
      if left.isEmpty || left.count == before { return (made, left) }
    }
  }

  /// - Returns: Whether the object and all names in it exist.
  private func create(_ thing: UserSchemaObjects.SchemaObject, on connection: Connection) throws -> Bool {
    do {
      try connection.execute(thing.creation)
    } catch is SQLiteError {
      return false
    }
    do {
      // A rename makes SQLite resolve all triggers and views.
      let (name, other) = (quoted(SchemaObjectDryRun.probeTable), quoted("\(SchemaObjectDryRun.probeTable)_2"))
      try connection.execute("ALTER TABLE \(name) RENAME TO \(other); ALTER TABLE \(other) RENAME TO \(name)")
      return true
    } catch is SQLiteError {
      try connection.execute("DROP \(thing.kind.rawValue) \(quoted(thing.name))")
      return false
    }
  }

  private func refreshed(_ thing: UserSchemaObjects.SchemaObject, on connection: Connection) throws
    -> UserSchemaObjects.SchemaObject
  {
    let sql =
      "SELECT sql FROM sqlite_schema WHERE type = '\(thing.kind.rawValue)' AND name = \(StoreFormat.literal(thing.name))"
    var thing = thing
    thing.creation = try connection.string(sql) ?? thing.creation
    return thing
  }

  // MARK: Renames

  /// Renames in two steps, since names may be exchanged. A failed rename shows up later as a missing name.
  private func renameTables(on connection: Connection) {
    let renamed = migration.changes.filter(\.isRebuilt).compactMap { change -> (from: String, to: TableDefinition)? in
      originalTable(of: change.definition).map { ($0, change.definition) }
    }
    var claimed: Set<String> = []
    let own = renamed.filter { claimed.insert($0.from).inserted }
    for (place, table) in own.enumerated() {
      try? connection.execute(
        "ALTER TABLE \(quoted(table.from)) RENAME TO \(quoted("\(SchemaObjectDryRun.probeTable)_table_\(place)"))")
    }
    for (place, table) in own.enumerated() {
      try? connection.execute(
        "ALTER TABLE \(quoted("\(SchemaObjectDryRun.probeTable)_table_\(place)")) RENAME TO \(quoted(table.to.name))")
      renameColumns(of: table.to, from: table.from, on: connection)
    }
  }

  /// Returns the former table of a table; among several that are merged, the one with the same name.
  private func originalTable(of table: TableDefinition) -> String? {
    let former = table.classNames.compactMap { name in
      migration.matches[name]?.originalName.flatMap { migration.store.table(of: $0)?.name }
    }
    return former.contains(table.name) ? table.name : former.first
  }

  private func renameColumns(of table: TableDefinition, from former: String, on connection: Connection) {
    var names: [String: String] = [:]
    for property in table.classNames.flatMap({ migration.matches[$0]?.properties ?? [] }) {
      guard let was = property.original, was.table.name == former else { continue }
      for (suffix, column) in property.current.members { names[was.columns[suffix]?.name ?? ""] = column.name }
      names[was.keyColumn?.name ?? ""] = property.current.keyColumn?.name
      names[was.relationship?.order ?? ""] = property.current.relationship?.order
    }
    names[""] = nil
    let changed = names.filter { $0.key != $0.value }.inOrder { $0.key < $1.key }
    func rename(_ from: String, _ to: String) {
      try? connection.execute("ALTER TABLE \(quoted(table.name)) RENAME COLUMN \(quoted(from)) TO \(quoted(to))")
    }
    for (place, column) in changed.enumerated() { rename(column.key, "\(SchemaObjectDryRun.probeTable)_\(place)") }
    for (place, column) in changed.enumerated() {
      // A column of that name that is removed is not the one that takes the name.
      if names[column.value] == nil { rename(column.value, "\(SchemaObjectDryRun.probeTable)_gone_\(place)") }
      rename("\(SchemaObjectDryRun.probeTable)_\(place)", column.value)
    }
  }
}
