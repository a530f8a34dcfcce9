import Foundation
import LarderData
import LarderSQLite

/// Executes a migration inside a transaction: creates the new tables, fills them from the former ones, and drops those.
///
/// During the migration foreign keys are not enforced, and renaming a table does not rewrite the references to it (see
/// ``StoreMigrator/migrate()``). So tables that are not rebuilt reference the new tables by name.
final class MigrationExecutor {
  let migration: StoreMigration
  private let layouts: [String: _ModelLayout]
  let connection: Connection
  let options: MigrationOptions
  let progress: MigrationProgress
  let url: URL
  /// Properties that a newer program may have added, if no version number says so.
  private let unknownToModels: [String]

  /// The uniqueness constraints, by table, that have no index yet because the table has duplicates.
  private(set) var missingUniqueGroups: [String: Set<[String]>] = [:]
  /// Statements for indexes that are created again under another name.
  private var renamedIndexes: [String] = []

  /// Rows between two checks for cancellation: some milliseconds of work.
  static let chunkSize: Int64 = 10_000

  let quoted = StoreFormat.quoted
  let identifierColumn = StoreFormat.identifierColumn

  init(
    _ migration: StoreMigration, to hierarchies: [ModelHierarchy], _ connection: Connection,
    _ options: MigrationOptions, _ progress: MigrationProgress,
    _ url: URL, unknownToModels unknown: [String]
  ) {
    self.unknownToModels = unknown
    self.migration = migration
    layouts = Dictionary(
      hierarchies.flatMap(\.members).map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
    self.connection = connection
    self.options = options
    self.progress = progress
    self.url = url
  }

  /// The user's own schema objects that are kept.
  private var userSchemaObjects: UserSchemaObjects?
  /// Whether duplicates were merged.
  private var hasRemovedDuplicates = false
  /// Whether the migration leaves all existing data unchanged. Valid once it is finished.
  var isPurelyAdditive: Bool { migration.isPurelyAdditive && !hasRemovedDuplicates }

  func execute() throws {
    // Before any table is renamed.
    let handmade = try UserSchemaObjects(migration, on: connection)
    self.userSchemaObjects = handmade
    let problems = migration.problems + handmade.problems
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems, unknown: unknownToModels) }
    try handmade.dropTriggersAndViews(on: connection)
    for (from, to) in migration.names.renames {
      try connection.execute("ALTER TABLE \(quoted(from)) RENAME TO \(quoted(to))")
    }
    let rebuilt = migration.changes.filter(\.isRebuilt)
    let mappings = rebuilt.map { change in (change, self.mappings(of: change)) }
    let shared = try mappings.flatMap { try RowIDCollisionCheck($0.definition, $1, on: connection).problems() }
    try checkRows(mappings.flatMap(\.1), migration.changes.filter { !$0.isRebuilt }, besides: shared)
    for change in migration.changes { try makeTables(of: change) }
    for (change, mappings) in mappings {
      for mapping in mappings { try copyRows(mapping, to: change.definition) }
    }
    for (change, _) in mappings { try populateJoinTables(of: change) }
    // From here on, merged and removed rows are ordinary changes for the user's triggers.
    try handmade.recreateViewsAndTriggers(on: connection)
    if !migration.matches.removed.isEmpty { try deleteOrphans() }
    for change in migration.changes { try dropOldIndexes(of: change) }
    if !migration.matches.leavesRestToStage {
      try removeDuplicates()
    } else {
      // The stage's own closure may remove the duplicates.
      for change in migration.changes {
        missingUniqueGroups[change.definition.name] = try RowDeduplication(self, change.definition).duplicateGroups()
      }
    }
    for (_, former) in migration.names.renames { try dropIndexes(of: former) }
    for change in migration.changes { try makeIndexes(of: change) }
    if !migration.matches.leavesRestToStage { try makeUserIndexes() }
    try StoreMetadata.setTables(migration.tables, on: connection)
  }

  private func removeDuplicates() throws {
    var uniting = DeduplicationQueue()
    for change in migration.changes {
      if try RowDeduplication(self, change.definition).deduplicate(&uniting) { hasRemovedDuplicates = true }
    }
    // The loop ends, since each pass leaves fewer rows.
    while let table = uniting.next() { _ = try RowDeduplication(self, table).deduplicate(&uniting) }
    try uniting.recreateIndexes(on: connection)
    try RowDeduplication.checkOneToOnes(self)
  }

  /// Merges the remaining duplicates, and drops the former tables, which a stage's own closure may read until then.
  func finish() throws {
    if migration.matches.leavesRestToStage {
      try removeDuplicates()
      let postponed = missingUniqueGroups
      missingUniqueGroups = [:]
      for change in migration.changes {
        for group in postponed[change.definition.name] ?? [] {
          try connection.execute(change.definition.uniqueIndexCreation(group))
        }
      }
      try makeUserIndexes()
    }
    for (_, former) in migration.names.renames { try connection.execute("DROP TABLE \(quoted(former))") }
  }

  private func makeUserIndexes() throws {
    let problems = try userSchemaObjects?.recreateIndexes(on: connection) ?? []
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems) }
  }

  /// Returns the columns that the user added and that hold stored values in the rows of a class.
  func userColumns(of mapping: EntityMapping) -> [String] { userSchemaObjects?.valueColumns(of: mapping) ?? [] }

  private func mappings(of change: TableChange) -> [EntityMapping] {
    migration.mappings(of: change) { [layouts] name, property in
      layouts[name].flatMap { layout in layout.property(named: property).map { PropertyDeclaration($0, of: layout) } }
    }
  }

  // MARK: Obstacles

  private func checkRows(_ mappings: [EntityMapping], _ others: [TableChange], besides known: [String]) throws {
    let relationships = others.flatMap { $0.definition.relationships ?? [] }.flatMap { migration.mappings(of: $0) }
    var problems = known + mappings.flatMap(\.problems) + relationships.compactMap(\.problem)
    for check in mappings.flatMap(\.checks) + relationships.flatMap(\.checks) {
      if let problem = try check.problem(on: connection) { problems.append(problem) }
    }
    var seen: Set<String> = []
    problems = problems.filter { seen.insert($0).inserted }
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems, unknown: unknownToModels) }
    guard progress.isObserved else { return }
    for mapping in mappings {
      progress.addExpectedRows(try connection.int64("SELECT count(*) FROM \(mapping.rows(nil))") ?? 0)
    }
    for (_, pairs) in migration.changes.filter(\.isRebuilt).flatMap(populatedJoinTables) {
      progress.addExpectedRows(try countPairs(pairs))
    }
  }

  // MARK: Tables

  private func makeTables(of change: TableChange) throws {
    switch change.kind {
    case .reindexed, .redescribed: return
    case .created, .rebuilt: break
    }
    let added = userSchemaObjects?.declarations(for: change.definition) ?? []
    try connection.execute(change.definition.tableCreation(with: added))
    for joinTable in newJoinTables(change) { try connection.execute(joinTable.tableCreation) }
    for external in change.definition.externals ?? [] where !migration.retainedTables.contains(external.name) {
      try connection.execute(external.createTable)
    }
  }

  private func newJoinTables(_ change: TableChange) -> [JoinTable] {
    (change.definition.joinTables ?? []).filter { !migration.retainedTables.contains($0.name) }
  }

  private func makeIndexes(of change: TableChange) throws {
    if case .redescribed = change.kind { return }
    let lacking = missingUniqueGroups[change.definition.name] ?? []
    let postponed = Set(lacking.map { change.definition.uniqueIndexCreation($0) })
    let wanted = change.definition.indexCreation.filter { !postponed.contains($0) }
    if case .reindexed(let former) = change.kind {
      let had = former.indexCreation
      for statement in wanted where !had.contains(statement) { try connection.execute(statement) }
    } else {
      for statement in wanted + newJoinTables(change).flatMap(\.indexCreation) { try connection.execute(statement) }
    }
  }

  /// Drops old indexes before duplicates are merged, since merged rows need not satisfy them. An index that the user
  /// has dropped is ignored.
  private func dropOldIndexes(of change: TableChange) throws {
    guard case .reindexed(let former) = change.kind else { return }
    let definition = change.definition
    for group in former.unique {
      try dropIndex(of: former.name, group, isUnique: true, isKept: definition.unique.contains(group))
    }
    for group in former.indexes where !former.unique.contains(group) {
      let stays = definition.indexes.contains(group) && !definition.unique.contains(group)
      try dropIndex(of: former.name, group, isUnique: false, isKept: stays)
    }
    for sql in renamedIndexes { try connection.execute(sql) }
    renamedIndexes = []
  }

  /// - Parameter stays: Whether the index is only renamed, if its name is an earlier version's: that name may belong to
  ///   another index now.
  private func dropIndex(of table: String, _ group: [String], isUnique: Bool, isKept stays: Bool) throws {
    let name = isUnique ? StoreFormat.uniqueIndexName(table, group) : StoreFormat.indexName(table, group)
    guard let index = try StoredIndex.find(group, isUnique: isUnique, of: table, on: connection),
      !stays || index.name != name
    else { return }
    try connection.execute("DROP INDEX \(quoted(index.name))")
    guard stays else { return }
    let columns = group.map(quoted).joined(separator: ", ")
    renamedIndexes.append("CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted(name)) ON \(quoted(table)) (\(columns))")
  }

  /// Drops a former table's indexes: indexes keep their names when their table is renamed, and the new table's indexes
  /// have the same names.
  private func dropIndexes(of table: String) throws {
    let sql =
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = \(StoreFormat.literal(table)) AND sql IS NOT NULL"
    for index in try StoreMetadata.strings(sql, on: connection) {
      try connection.execute("DROP INDEX \(quoted(index))")
    }
  }
}
