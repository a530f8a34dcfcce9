import LarderData
import LarderSQLite
import LarderSupport

/// The user's own additions to tables that a migration rebuilds: columns, indexes, triggers and views. The store's
/// schema does not record them, so they are read from the file.
struct UserSchemaObjects {
  struct Column: Equatable {
    let name: String
    let declaration: String
    /// Whether the values are computed from other columns.
    let isComputed: Bool
    /// Whether the column requires a value and declares no default.
    let needsValue: Bool
  }

  /// An index, a trigger or a view.
  struct SchemaObject {
    enum Kind: String {
      case view, index, trigger
    }

    let kind: Kind
    let name: String
    /// The table of the object; a view's own name.
    let table: String
    var creation: String
  }

  /// The objects to create again, with their rewritten texts; views first, since triggers may be on views.
  private(set) var objects: [SchemaObject] = []
  /// The obstacles, as sentences.
  private(set) var problems: [String] = []
  /// The added columns, by their former tables.
  private var columns: [String: [Column]] = [:]
  /// The former tables with constraints of the user's own.
  private var constrainedTables: Set<String> = []
  /// The constraints, by their new tables.
  private var constraints: [String: [String]] = [:]
  /// All triggers and views, whether they are created again or dropped with their tables.
  private var droppedObjects: [SchemaObject] = []

  private let migration: StoreMigration

  /// - Parameter connection: A connection on which the tables have not been renamed.
  init(_ migration: StoreMigration, on connection: Connection) throws {
    self.migration = migration
    if migration.replacedTables.isEmpty { return }
    let schema = try UserSchemaObjects.schema(on: connection)
    let replaced = Set(migration.replacedTables.flatMap { [$0.name] + $0.companionTables }).subtracting(
      migration.retainedTables)
    for table in migration.replacedTables { try findAdditions(in: table, replaced, schema, on: connection) }
    let things = schema.compactMap { entry -> SchemaObject? in
      guard let kind = SchemaObject.Kind(rawValue: entry.type) else { return nil }
      if kind == .index, !replaced.contains(entry.table) || StoreFormat.isReservedName(entry.name) { return nil }
      return SchemaObject(kind: kind, name: entry.name, table: entry.table, creation: entry.sql)
    }
    droppedObjects = things.filter { $0.kind != .index }
    if columns.isEmpty, things.isEmpty, constrainedTables.isEmpty { return }
    checkColumns()
    checkConstraints()
    guard problems.isEmpty else { return }
    let removed = migration.replacedTables.filter { successors(of: $0.name).isEmpty }
    // The table name of a trigger keeps the case of its CREATE statement.
    let gone = Set(removed.flatMap { [$0.name] + $0.companionTables }.map { $0.lowercased() })
    let found = self
    let trial = SchemaObjectDryRun(migration, schema) { found.columns(of: $0).map(\.declaration) }
    let result = try trial.run(things.filter { !gone.contains($0.table.lowercased()) })
    (self.objects, constraints, problems) = (result.objects, result.constraints, result.problems)
  }

  /// Returns the user's own declarations for a new table: columns, then constraints.
  func declarations(for table: TableDefinition) -> [String] {
    columns(of: table).map(\.declaration) + (constraints[table.name] ?? [])
  }

  /// Returns the columns of the user's own for a new table.
  func columns(of table: TableDefinition) -> [Column] {
    originalTables(of: table).flatMap { columns[$0] ?? [] }.reduce(into: []) { all, column in
      if !all.contains(where: { $0.name.lowercased() == column.name.lowercased() }) { all.append(column) }
    }
  }

  /// Returns the added columns with values to copy, for the rows of one class.
  func valueColumns(of mapping: EntityMapping) -> [String] {
    let former = migration.matches[mapping.name]?.originalName.flatMap { migration.store.table(of: $0) }
    return (former.flatMap { columns[$0.name] } ?? []).filter { !$0.isComputed }.map(\.name)
  }

  // MARK: Reading the schema

  struct SchemaEntry {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  private static func schema(on connection: Connection) throws -> [SchemaEntry] {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    return try connection.withStatement(for: sql) { statement in
      var entries: [SchemaEntry] = []
      while try statement.step() {
        entries.append(
          SchemaEntry(
            type: statement.string(0), name: statement.string(1), table: statement.string(2), sql: statement.string(3)))
      }
      return entries
    }
  }

  private mutating func findAdditions(
    in table: TableDefinition, _ replaced: Set<String>, _ schema: [SchemaEntry], on connection: Connection
  ) throws {
    let own = [StoreFormat.identifierColumn, StoreFormat.versionColumn, StoreFormat.classColumn]
    let found = try addedColumns(to: table.name, besides: own + table.columns.map(\.name), schema, on: connection)
    if !found.isEmpty { columns[table.name] = found }
    let creation = schema.first { $0.type == "table" && $0.name == table.name }?.sql ?? ""
    let declarations = ColumnDeclarations(creation)
    if !declarations.constraints.isEmpty { constrainedTables.insert(table.name) }
    if declarations.classChecks > table.checks.count {
      problems.append(
        "a CHECK was added to \(table.name) by hand that cannot be told from those by which its classes are kept apart. Drop "
          + "it before, or let it say in another way which columns are to have a value")
    }
    let ofPairs = [
      JoinTable.sourceColumn, JoinTable.targetColumn, JoinTable.sourceOrderColumn, JoinTable.targetOrderColumn,
    ]
    for beside in table.companionTables where replaced.contains(beside) {
      let known = ofPairs + [ExternalTable.rowColumn, ExternalTable.valueColumn]
      for column in try addedColumns(to: beside, besides: known, schema, on: connection) {
        problems.append(
          "the column \"\(column.name)\" was added to \(beside) by hand, and that table is made anew. Drop it before")
      }
    }
  }

  private func addedColumns(
    to table: String, besides known: [String], _ schema: [SchemaEntry], on connection: Connection
  ) throws -> [Column] {
    let known = Set(known.map { $0.lowercased() })
    let sql =
      "SELECT name, \"notnull\" <> 0 AND dflt_value IS NULL, hidden FROM pragma_table_xinfo(\(StoreFormat.literal(table)))"
    return try connection.withStatement(for: sql) { statement in
      var columns: [Column] = []
      var declarations: ColumnDeclarations?
      while try statement.step() {
        let name = statement.string(0)
        if known.contains(name.lowercased()) { continue }
        let texts =
          declarations ?? ColumnDeclarations(schema.first { $0.type == "table" && $0.name == table }?.sql ?? "")
        declarations = texts
        columns.append(
          Column(
            name: name, declaration: texts[name] ?? StoreFormat.quoted(name), isComputed: statement.int64(2) != 0,
            needsValue: statement.int64(1) != 0))
      }
      return columns
    }
  }

  // MARK: Obstacles

  private func originalTables(of table: TableDefinition) -> [String] {
    table.classNames.compactMap { migration.matches[$0]?.originalName.flatMap { migration.store.table(of: $0)?.name } }
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the tables that take the rows of a former table.
  private func successors(of former: String) -> [TableDefinition] {
    migration.changes.map(\.definition).filter { originalTables(of: $0).contains(former) }
  }

  private mutating func checkColumns() {
    for (former, added) in columns.inOrder({ $0.key < $1.key }) {
      for column in added {
        for table in successors(of: former) {
          let place = "the column \"\(column.name)\" was added to \(former) by hand, and"
          if table.columns.contains(where: { $0.name.lowercased() == column.name.lowercased() }) {
            problems.append("\(place) \(table.name) has a property of that name now. Rename the column before")
          } else if columns(of: table).contains(where: { conflicts($0, with: column) }) {
            problems.append(
              "\(place) another one of that name to a table that becomes one with it. Rename one of them before")
          } else if column.needsValue, originalTables(of: table) != [former] {
            problems.append("\(place) other rows of \(table.name) would have no value for it. Give it a default before")
          }
        }
      }
    }
  }

  /// Reports constraints on tables that are merged: a constraint applies only to the rows of its own table.
  private mutating func checkConstraints() {
    for former in constrainedTables.inOrder() {
      for table in successors(of: former) where originalTables(of: table) != [former] {
        problems.append(
          "a constraint was added to \(former) by hand, and \(table.name) has other rows, too, from now on. Make that table "
            + "without it before")
      }
    }
  }

  private func conflicts(_ other: Column, with column: Column) -> Bool {
    other.name.lowercased() == column.name.lowercased() && other != column
  }

  // MARK: Dropping and creating again

  /// Drops triggers, which must not fire for rows that are only moved, and views, which could block a rename.
  func dropTriggersAndViews(on connection: Connection) throws {
    for thing in droppedObjects.reversed() {
      // Dropping a view drops its triggers.
      try connection.execute("DROP \(thing.kind.rawValue) IF EXISTS \(StoreFormat.quoted(thing.name))")
    }
  }

  func recreateViewsAndTriggers(on connection: Connection) throws {
    for thing in objects where thing.kind != .index { try connection.execute(thing.creation) }
  }

  /// Creates the user's indexes again.
  ///
  /// - Returns: The indexes that the rows prevent, as sentences.
  func recreateIndexes(on connection: Connection) throws -> [String] {
    var problems: [String] = []
    for thing in objects where thing.kind == .index {
      do {
        try connection.execute(thing.creation)
      } catch let error as SQLiteError where error.code == .constraint {
        problems.append(
          "the index \"\(thing.name)\", which was made by hand, is unique, and rows would agree in it. Drop it before")
      }
    }
    return problems
  }
}

extension StoreFormat {
  /// Returns whether a name is reserved for the store.
  static func isReservedName(_ name: String) -> Bool { name.lowercased().hasPrefix(prefix) }
}
