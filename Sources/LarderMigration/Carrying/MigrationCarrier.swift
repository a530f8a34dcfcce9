import Foundation
import LarderData
import LarderSQLite

/// Carries a migration out, inside a transaction: makes the new tables, fills them from the former ones, and removes those.
///
/// Keys are not enforced meanwhile, and a table that is renamed takes nobody's references with it (see
/// ``StoreMigrator/run()``); so tables that stay lead to the new ones by their names.
final class MigrationCarrier {
  let migration: StoreMigration
  private let layouts: [String: ModelLayout]
  let connection: Connection
  let options: MigrationOptions
  let progress: MigrationProgress
  let url: URL
  /// What the store may have from a newer program, where no number tells.
  private let unknown: [String]

  /// What is to be unique, by the tables, and is not yet, because values are there twice.
  private(set) var lacking: [String: Set<[String]>] = [:]
  /// Indexes that are made again by another name.
  private var renamed: [String] = []

  /// Rows between two looks at whether the program still wants it: some milliseconds of work.
  static let rowsAtOnce: Int64 = 10_000

  let q = StoreFormat.quoted
  let id = StoreFormat.identifierColumn

  init(
    _ migration: StoreMigration, to hierarchies: [ModelHierarchy], _ connection: Connection,
    _ options: MigrationOptions, _ progress: MigrationProgress,
    _ url: URL, unknown: [String]
  ) {
    self.unknown = unknown
    self.migration = migration
    layouts = Dictionary(
      hierarchies.flatMap(\.members).map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
    self.connection = connection
    self.options = options
    self.progress = progress
    self.url = url
  }

  /// What was made by hand, and is kept.
  private var handmade: HandmadeParts?
  /// Whether rows have become one.
  private var hasUnited = false
  /// Whether all that was there is still what it was, when this is finished.
  var onlyAdded: Bool { migration.onlyAdds && !hasUnited }

  func run() throws {
    // Before anything has another name.
    let handmade = try HandmadeParts(migration, on: connection)
    self.handmade = handmade
    let problems = migration.problems + handmade.problems
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems, unknown: unknown) }
    try handmade.takeAway(on: connection)
    for (from, to) in migration.names.all { try connection.execute("ALTER TABLE \(q(from)) RENAME TO \(q(to))") }
    let rebuilt = migration.changes.filter(\.isRebuilt)
    let mappings = rebuilt.map { change in (change, self.mappings(of: change)) }
    let shared = try mappings.flatMap { try SharedIdentifiers($0.definition, $1, on: connection).problems() }
    try check(mappings.flatMap(\.1), migration.changes.filter { !$0.isRebuilt }, besides: shared)
    for change in migration.changes { try makeTables(of: change) }
    for (change, mappings) in mappings {
      for mapping in mappings { try carry(mapping, to: change.definition) }
    }
    for (change, _) in mappings { try fillLinks(of: change) }
    // What is united or removed from here on is a change like any other to whoever has a trigger for it.
    try handmade.makeViewsAndTriggers(on: connection)
    if !migration.matches.removed.isEmpty { try forgetRemovedRows() }
    for change in migration.changes { try dropFormerIndexes(of: change) }
    if !migration.matches.leavesRest {
      try uniteDuplicates()
    } else {
      // The stage's own work may make them differ.
      for change in migration.changes {
        lacking[change.definition.name] = try DuplicateRows(self, change.definition).groups()
      }
    }
    for (_, former) in migration.names.all { try dropIndexes(of: former) }
    for change in migration.changes { try makeIndexes(of: change) }
    if !migration.matches.leavesRest { try makeHandmadeIndexes() }
    try Bookkeeping.setTables(migration.tables, on: connection)
  }

  private func uniteDuplicates() throws {
    var uniting = Uniting()
    for change in migration.changes {
      if try DuplicateRows(self, change.definition).unite(&uniting) { hasUnited = true }
    }
    // Each time there are fewer rows.
    while let table = uniting.next() { _ = try DuplicateRows(self, table).unite(&uniting) }
    try uniting.finish(on: connection)
    try DuplicateRows.checkOneToOnes(self)
  }

  /// Settles what is there twice, and removes the former tables, which a stage's own work may still read until then.
  func finish() throws {
    if migration.matches.leavesRest {
      try uniteDuplicates()
      let postponed = lacking
      lacking = [:]
      for change in migration.changes {
        for group in postponed[change.definition.name] ?? [] {
          try connection.execute(change.definition.uniqueIndexCreation(group))
        }
      }
      try makeHandmadeIndexes()
    }
    for (_, former) in migration.names.all { try connection.execute("DROP TABLE \(q(former))") }
  }

  private func makeHandmadeIndexes() throws {
    let problems = try handmade?.makeIndexes(on: connection) ?? []
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems) }
  }

  /// The columns that were added by hand and have values of their own in the rows of a class.
  func handmadeColumns(of mapping: ClassMapping) -> [String] { handmade?.values(of: mapping) ?? [] }

  private func mappings(of change: TableChange) -> [ClassMapping] {
    migration.mappings(of: change) { [layouts] name, property in
      layouts[name].flatMap { layout in layout.property(named: property).map { PropertyFacts($0, of: layout) } }
    }
  }

  // MARK: What is in the way

  private func check(_ mappings: [ClassMapping], _ others: [TableChange], besides known: [String]) throws {
    let relations = others.flatMap { $0.definition.relations ?? [] }.flatMap { migration.mappings(of: $0) }
    var problems = known + mappings.flatMap(\.problems) + relations.compactMap(\.problem)
    for check in mappings.flatMap(\.checks) + relations.flatMap(\.checks) {
      if let problem = try check.problem(on: connection) { problems.append(problem) }
    }
    var seen: Set<String> = []
    problems = problems.filter { seen.insert($0).inserted }
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems, unknown: unknown) }
    guard progress.isWatched else { return }
    for mapping in mappings { progress.expect(try connection.int64("SELECT count(*) FROM \(mapping.rows(nil))") ?? 0) }
    for (_, pairs) in migration.changes.filter(\.isRebuilt).flatMap(filledLinks) {
      progress.expect(try countPairs(pairs))
    }
  }

  // MARK: Tables

  private func makeTables(of change: TableChange) throws {
    switch change.kind {
    case .indexed, .related: return
    case .made, .rebuilt: break
    }
    let added = handmade?.declarations(for: change.definition) ?? []
    try connection.execute(change.definition.tableCreation(with: added))
    for link in newLinks(change) { try connection.execute(link.tableCreation) }
    for external in change.definition.externals ?? [] where !migration.kept.contains(external.name) {
      try connection.execute(external.creation)
    }
  }

  private func newLinks(_ change: TableChange) -> [LinkTable] {
    (change.definition.links ?? []).filter { !migration.kept.contains($0.name) }
  }

  private func makeIndexes(of change: TableChange) throws {
    if case .related = change.kind { return }
    let lacking = lacking[change.definition.name] ?? []
    let postponed = Set(lacking.map { change.definition.uniqueIndexCreation($0) })
    let wanted = change.definition.indexCreation.filter { !postponed.contains($0) }
    if case .indexed(let former) = change.kind {
      let had = former.indexCreation
      for statement in wanted where !had.contains(statement) { try connection.execute(statement) }
    } else {
      for statement in wanted + newLinks(change).flatMap(\.indexCreation) { try connection.execute(statement) }
    }
  }

  /// Before rows are united, which need not be unique any more in what those are on. One that somebody has dropped by hand
  /// is not missed.
  private func dropFormerIndexes(of change: TableChange) throws {
    guard case .indexed(let former) = change.kind else { return }
    let definition = change.definition
    for group in former.unique {
      try dropIndex(of: former.name, group, isUnique: true, stays: definition.unique.contains(group))
    }
    for group in former.indexes where !former.unique.contains(group) {
      let stays = definition.indexes.contains(group) && !definition.unique.contains(group)
      try dropIndex(of: former.name, group, isUnique: false, stays: stays)
    }
    for sql in renamed { try connection.execute(sql) }
    renamed = []
  }

  /// - Parameter stays: Whether it only gets the name that it has by now, where it has an earlier version's: that may be to be
  ///   another one's.
  private func dropIndex(of table: String, _ group: [String], isUnique: Bool, stays: Bool) throws {
    let name = isUnique ? StoreFormat.uniqueIndex(table, group) : StoreFormat.index(table, group)
    guard let index = try StoredIndex.find(group, isUnique: isUnique, of: table, on: connection),
      !stays || index.name != name
    else { return }
    try connection.execute("DROP INDEX \(q(index.name))")
    guard stays else { return }
    let columns = group.map(q).joined(separator: ", ")
    renamed.append("CREATE \(isUnique ? "UNIQUE " : "")INDEX \(q(name)) ON \(q(table)) (\(columns))")
  }

  /// Indexes keep their names when their table is renamed, and the new table's have the same.
  private func dropIndexes(of table: String) throws {
    let sql =
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = \(StoreFormat.literal(table)) AND sql IS NOT NULL"
    for index in try Bookkeeping.strings(sql, on: connection) { try connection.execute("DROP INDEX \(q(index))") }
  }
}
