import LarderData
import LarderSQLite

/// An estimate of the rows that each part of a migration writes, computed before the migration begins.
///
/// For later stages it follows from the schemas which rows remain. A stage's own closure is assumed to handle each row
/// of its version once, since its work is unknown.
struct MigrationWorkEstimate {
  /// The estimates, in the order of the parts.
  private(set) var parts: [Int64] = []
  private var tables: [TableDefinition]
  /// The row counts of tables and their companion tables, by name.
  private var rows: [String: Int64] = [:]

  init(_ tables: [TableDefinition], on connection: Connection) throws {
    self.tables = tables
    for name in tables.flatMap({ [$0.name] + $0.companionTables }) {
      rows[name] = try connection.int64("SELECT count(*) FROM \(StoreFormat.quoted(name))") ?? 0
    }
  }

  private func count(_ names: [String]) -> Int64 { names.reduce(0) { $0 + (rows[$1] ?? 0) } }

  mutating func addStage(_ step: MigrationPath.Step) {
    if step.stage.willMigrate != nil { addClosure(on: step.from) }
    let (_, removed) = step.classes(in: StoredSchema(tables))
    addCopying(to: step.to.hierarchies, removing: removed, leavingRest: step.stage.didMigrate != nil)
    if step.stage.didMigrate != nil { addClosure(on: step.to) }
  }

  private mutating func addClosure(on version: SchemaVersion) {
    parts.append(max(1, count(version.definitions.map(\.name))))
  }

  mutating func addCopying(
    to hierarchies: [ModelHierarchy], removing removed: Set<String> = [], leavingRest: Bool = false
  ) {
    let migration = StoreMigration(tables, to: hierarchies, removing: removed, leavingRest: leavingRest)
    parts.append(
      migration.replacedTables.reduce(0) { sum, table in
        sum + count([table.name] + table.companionTables.filter { !migration.retainedTables.contains($0) })
      })
    var after = rows
    for change in migration.changes where change.isRebuilt {
      let former = Set(
        change.definition.classNames.compactMap { name in
          migration.matches[name]?.originalName.flatMap { migration.store.table(of: $0)?.name }
        })
      after[change.definition.name] = count(Array(former))
    }
    rows = after
    tables = migration.tables
  }
}
