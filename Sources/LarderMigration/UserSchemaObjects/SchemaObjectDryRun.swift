import LarderData
import LarderSQLite
import LarderSupport

/// Tries out, on tables without rows in memory, what becomes of indexes, triggers and views that were made by hand.
///
/// Only SQLite itself can tell what such a text names. So it renames there what the migration renames, which it does in
/// those texts, too; and says of each whether it can be made of the new tables.
struct SchemaObjectDryRun {
  private let migration: StoreMigration
  private let schema: [UserSchemaObjects.SchemaEntry]
  /// The declarations of columns that a table has besides its own.
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
    /// What is to be made.
    var objects: [UserSchemaObjects.SchemaObject] = []
    /// The constraints of new tables, by the names of these.
    var constraints: [String: [String]] = [:]
    /// What cannot be, in sentences.
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
      // What led nowhere before is none of the migration's doing, and stays the text that it is.
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

  /// The constraints that tables have once all has its new name, which SQLite has given in them, too.
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
    // One that takes no more from a hostile file than the store's own does.
    let database = try Database(inMemory: DatabaseSettings()) { try PredicateFunctions.register(on: $0) }
    defer { database.close() }
    return try database.withWriter { connection in
      try connection.execute("PRAGMA foreign_keys = OFF; CREATE TABLE \(quoted(SchemaObjectDryRun.probeTable)) (a)")
      return try body(connection)
    }
  }

  /// What cannot be made here is a virtual table's own, or such a table of a module that this program has not.
  private func makeTables(_ schema: [UserSchemaObjects.SchemaEntry], on connection: Connection) {
    let tables = schema.filter { $0.type == "table" }
    func isVirtual(_ entry: UserSchemaObjects.SchemaEntry) -> Bool {
      entry.sql.uppercased().hasPrefix("CREATE VIRTUAL")
    }
    for table in tables.filter(isVirtual) + tables.filter({ !isVirtual($0) }) { try? connection.execute(table.sql) }
  }

  // MARK: Making things

  private static let probeTable = "\(StoreFormat.prefix)probe"

  /// Makes as many as can be: a view may be over one that comes later.
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

  /// - Returns: Whether it is there, and all that it names.
  private func create(_ thing: UserSchemaObjects.SchemaObject, on connection: Connection) throws -> Bool {
    do {
      try connection.execute(thing.creation)
    } catch is SQLiteError {
      return false
    }
    do {
      // A new name has SQLite look through all triggers and views.
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

  // MARK: What is called otherwise

  /// In two steps, since names may be exchanged. What cannot be renamed is found missing later.
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

  /// The table that a table is; of several that become one, the one of its name.
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
      // One of that name that goes is not what takes it.
      if names[column.value] == nil { rename(column.value, "\(SchemaObjectDryRun.probeTable)_gone_\(place)") }
      rename("\(SchemaObjectDryRun.probeTable)_\(place)", column.value)
    }
  }
}
