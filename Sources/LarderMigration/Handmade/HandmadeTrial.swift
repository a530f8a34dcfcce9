import LarderData
import LarderSQLite
import LarderSupport

/// Tries out, on tables without rows in memory, what becomes of indexes, triggers and views that were made by hand.
///
/// Only SQLite itself can tell what such a text names. So it renames there what the migration renames, which it does in
/// those texts, too; and says of each whether it can be made of the new tables.
struct HandmadeTrial {
  private let migration: StoreMigration
  private let schema: [HandmadeParts.Entry]
  /// The declarations of columns that a table has besides its own.
  private let columns: (TableDefinition) -> [String]
  private let q = StoreFormat.quoted

  init(
    _ migration: StoreMigration, _ schema: [HandmadeParts.Entry], columns: @escaping (TableDefinition) -> [String]
  ) {
    self.migration = migration
    self.schema = schema
    self.columns = columns
  }

  struct Result {
    /// What is to be made.
    var things: [HandmadeParts.Thing] = []
    /// The constraints of new tables, by the names of these.
    var constraints: [String: [String]] = [:]
    /// What cannot be, in sentences.
    var problems: [String] = []
  }

  func run(_ things: [HandmadeParts.Thing]) throws -> Result {
    let views = things.filter { $0.kind == .view }
    let ordered = views + things.filter { $0.kind == .index } + things.filter { $0.kind == .trigger }
    let (sound, broken, constraints) = try onTables { connection in
      makeTables(schema, on: connection)
      let (sound, broken) = try make(ordered, on: connection)
      rename(on: connection)
      return (try sound.map { try asItIsNow($0, on: connection) }, broken, try self.constraints(on: connection))
    }
    return try onTables { connection in
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
      let former = Set(migration.store.tables.flatMap { [$0.name] + $0.tablesBeside })
      makeTables(schema.filter { !former.contains($0.name) }, on: connection)
      let (made, failed) = try make(sound, on: connection)
      // What led nowhere before is none of the migration's doing, and stays the text that it is.
      let kept = broken.filter { (try? connection.execute($0.creation)) != nil }
      problems = failed.map { thing in
        "the \(thing.kind.rawValue) \"\(thing.name)\", which was made by hand, needs what is no longer there. Drop it before"
      }
      let all = made + kept
      return Result(
        things: all.filter { $0.kind == .view } + all.filter { $0.kind != .view }, constraints: constraints,
        problems: problems)
    }
  }

  /// The constraints that tables have once all has its new name, which SQLite has given in them, too.
  private func constraints(on connection: Connection) throws -> [String: [String]] {
    var constraints: [String: [String]] = [:]
    for change in migration.changes where change.isRebuilt && formerTable(of: change.definition) != nil {
      let name = change.definition.name
      let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(StoreFormat.literal(name))"
      let found = ColumnDeclarations(try Bookkeeping.strings(sql, on: connection).first ?? "").constraints
      if !found.isEmpty { constraints[name] = found }
    }
    return constraints
  }

  private func onTables<Made>(_ body: (Connection) throws -> Made) throws -> Made {
    // One that takes no more from a hostile file than the store's own does.
    let database = try Database(inMemory: Settings()) { try PredicateFunctions.register(on: $0) }
    defer { database.close() }
    return try database.withWriter { connection in
      try connection.execute("PRAGMA foreign_keys = OFF; CREATE TABLE \(q(HandmadeTrial.probe)) (a)")
      return try body(connection)
    }
  }

  /// What cannot be made here is a virtual table's own, or such a table of a module that this program has not.
  private func makeTables(_ schema: [HandmadeParts.Entry], on connection: Connection) {
    let tables = schema.filter { $0.type == "table" }
    func isVirtual(_ entry: HandmadeParts.Entry) -> Bool { entry.sql.uppercased().hasPrefix("CREATE VIRTUAL") }
    for table in tables.filter(isVirtual) + tables.filter({ !isVirtual($0) }) { try? connection.execute(table.sql) }
  }

  // MARK: Making things

  private static let probe = "\(StoreFormat.prefix)probe"

  /// Makes as many as can be: a view may be over one that comes later.
  private func make(
    _ things: [HandmadeParts.Thing], on connection: Connection
  ) throws -> (made: [HandmadeParts.Thing], failed: [HandmadeParts.Thing]) {
    var made: [HandmadeParts.Thing] = []
    var left = things
    while true {
      let before = left.count
      left = try left.filter { thing in
        if try make(thing, on: connection) {
          made.append(thing)
          return false
        }
        return true
      }
      if left.isEmpty || left.count == before { return (made, left) }
    }
  }

  /// - Returns: Whether it is there, and all that it names.
  private func make(_ thing: HandmadeParts.Thing, on connection: Connection) throws -> Bool {
    do {
      try connection.execute(thing.creation)
    } catch is SQLiteError {
      return false
    }
    do {
      // A new name has SQLite look through all triggers and views.
      let (name, other) = (q(HandmadeTrial.probe), q("\(HandmadeTrial.probe)_2"))
      try connection.execute("ALTER TABLE \(name) RENAME TO \(other); ALTER TABLE \(other) RENAME TO \(name)")
      return true
    } catch is SQLiteError {
      try connection.execute("DROP \(thing.kind.rawValue) \(q(thing.name))")
      return false
    }
  }

  private func asItIsNow(_ thing: HandmadeParts.Thing, on connection: Connection) throws -> HandmadeParts.Thing {
    let sql =
      "SELECT sql FROM sqlite_schema WHERE type = '\(thing.kind.rawValue)' AND name = \(StoreFormat.literal(thing.name))"
    var thing = thing
    thing.creation = try connection.string(sql) ?? thing.creation
    return thing
  }

  // MARK: What is called otherwise

  /// In two steps, since names may be exchanged. What cannot be renamed is found missing later.
  private func rename(on connection: Connection) {
    let renamed = migration.changes.filter(\.isRebuilt).compactMap { change -> (from: String, to: TableDefinition)? in
      formerTable(of: change.definition).map { ($0, change.definition) }
    }
    var claimed: Set<String> = []
    let own = renamed.filter { claimed.insert($0.from).inserted }
    for (place, table) in own.enumerated() {
      try? connection.execute("ALTER TABLE \(q(table.from)) RENAME TO \(q("\(HandmadeTrial.probe)_table_\(place)"))")
    }
    for (place, table) in own.enumerated() {
      try? connection.execute(
        "ALTER TABLE \(q("\(HandmadeTrial.probe)_table_\(place)")) RENAME TO \(q(table.to.name))")
      renameColumns(of: table.to, from: table.from, on: connection)
    }
  }

  /// The table that a table is; of several that become one, the one of its name.
  private func formerTable(of table: TableDefinition) -> String? {
    let former = table.classNames.compactMap { name in
      migration.matches[name]?.former.flatMap { migration.store.table(of: $0)?.name }
    }
    return former.contains(table.name) ? table.name : former.first
  }

  private func renameColumns(of table: TableDefinition, from former: String, on connection: Connection) {
    var names: [String: String] = [:]
    for property in table.classNames.flatMap({ migration.matches[$0]?.properties ?? [] }) {
      guard let was = property.former, was.table.name == former else { continue }
      for (suffix, column) in property.now.members { names[was.columns[suffix]?.name ?? ""] = column.name }
      names[was.keyColumn?.name ?? ""] = property.now.keyColumn?.name
      names[was.relation?.order ?? ""] = property.now.relation?.order
    }
    names[""] = nil
    let changed = names.filter { $0.key != $0.value }.inOrder { $0.key < $1.key }
    func rename(_ from: String, _ to: String) {
      try? connection.execute("ALTER TABLE \(q(table.name)) RENAME COLUMN \(q(from)) TO \(q(to))")
    }
    for (place, column) in changed.enumerated() { rename(column.key, "\(HandmadeTrial.probe)_\(place)") }
    for (place, column) in changed.enumerated() {
      // One of that name that goes is not what takes it.
      if names[column.value] == nil { rename(column.value, "\(HandmadeTrial.probe)_gone_\(place)") }
      rename("\(HandmadeTrial.probe)_\(place)", column.value)
    }
  }
}
