import Foundation
import LarderSQLite

/// Carries a migration out, inside a transaction: makes the new tables, fills them from the former ones, and removes those.
///
/// Keys are not enforced meanwhile, and a table that is renamed takes nobody's references with it (see
/// ``StoreMigrator/run()``); so tables that stay lead to the new ones by their names.
final class MigrationCarrier {
  let migration: StoreMigration
  let connection: Connection
  let options: MigrationOptions
  let progress: MigrationProgress
  let url: URL

  /// What is to be unique, by the tables, and is not yet, because values are there twice.
  private(set) var lacking: [String: Set<[String]>] = [:]

  /// Rows between two looks at whether the program still wants it: some milliseconds of work.
  static let rowsAtOnce: Int64 = 10_000

  private let q = StoreFormat.quoted
  private let id = StoreFormat.identifierColumn

  init(
    _ migration: StoreMigration, _ connection: Connection, _ options: MigrationOptions, _ progress: MigrationProgress,
    _ url: URL
  ) {
    self.migration = migration
    self.connection = connection
    self.options = options
    self.progress = progress
    self.url = url
  }

  func run() throws {
    guard migration.problems.isEmpty else { throw StoreError.notMigratable(url, migration.problems) }
    for (from, to) in migration.names.all { try connection.execute("ALTER TABLE \(q(from)) RENAME TO \(q(to))") }
    let rebuilt = migration.changes.filter(\.isRebuilt)
    let mappings = rebuilt.map { change in (change, self.mappings(of: change)) }
    try check(mappings.flatMap(\.1), migration.changes.filter { !$0.isRebuilt })
    for change in migration.changes { try makeTables(of: change) }
    for (change, mappings) in mappings {
      for mapping in mappings { try carry(mapping, to: change.definition) }
    }
    for (change, _) in mappings { try fillLinks(of: change) }
    if !migration.matches.removed.isEmpty { try forgetRemovedRows() }
    if !migration.matches.leavesRest {
      try uniteDuplicates()
    } else {
      // The stage's own work may make them differ.
      for change in migration.changes { lacking[change.definition.name] = try DuplicateRows(self, change).groups() }
    }
    for (_, former) in migration.names.all { try dropIndexes(of: former) }
    for change in migration.changes { try makeIndexes(of: change) }
    try Bookkeeping.setTables(migration.tables, on: connection)
  }

  private func uniteDuplicates() throws {
    for change in migration.changes { try DuplicateRows(self, change).unite() }
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
    }
    for (_, former) in migration.names.all { try connection.execute("DROP TABLE \(q(former))") }
  }

  private func mappings(of change: TableChange) -> [ClassMapping] {
    change.hierarchy.members.compactMap { layout in
      migration.matches[layout].flatMap {
        ClassMapping(
          $0, hasClasses: change.hierarchy.hasClasses, migration.matches, in: migration.store, migration.names,
          kept: migration.kept)
      }
    }
  }

  // MARK: What is in the way

  private func check(_ mappings: [ClassMapping], _ others: [TableChange]) throws {
    let relations = others.flatMap { $0.hierarchy.members }.flatMap { layout in
      layout.ownRelations.map {
        RelationMapping($0, of: layout, migration.matches, in: migration.store, migration.names)
      }
    }
    var problems = mappings.flatMap(\.problems) + relations.compactMap(\.problem)
    for check in mappings.flatMap(\.checks) + relations.flatMap(\.checks) {
      if let problem = try check.problem(on: connection) { problems.append(problem) }
    }
    var seen: Set<String> = []
    problems = problems.filter { seen.insert($0).inserted }
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems) }
    guard progress.isWatched else { return }
    for mapping in mappings { progress.expect(try connection.int64("SELECT count(*) FROM \(mapping.rows(nil))") ?? 0) }
  }

  // MARK: Tables

  private func makeTables(of change: TableChange) throws {
    switch change.kind {
    case .indexed, .related: return
    case .made, .rebuilt: break
    }
    try connection.execute(change.definition.tableCreation)
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
      let definition = change.definition
      for group in former.unique where !definition.unique.contains(group) {
        try connection.execute("DROP INDEX \(q(StoreFormat.uniqueIndex(former.name, group)))")
      }
      for group in former.indexes where !former.unique.contains(group) {
        if definition.indexes.contains(group), !definition.unique.contains(group) { continue }
        try connection.execute("DROP INDEX \(q(StoreFormat.index(former.name, group)))")
      }
      let had = former.indexCreation
      for statement in wanted where !had.contains(statement) { try connection.execute(statement) }
    } else {
      for statement in wanted + newLinks(change).flatMap(\.indexCreation) { try connection.execute(statement) }
    }
  }

  /// Indexes keep their names when their table is renamed, and the new table's have the same.
  private func dropIndexes(of table: String) throws {
    let sql =
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = \(StoreFormat.literal(table)) AND sql IS NOT NULL"
    for index in try Bookkeeping.strings(sql, on: connection) { try connection.execute("DROP INDEX \(q(index))") }
  }

  // MARK: Rows

  private func carry(_ mapping: ClassMapping, to table: TableDefinition) throws {
    let fixed = [id, StoreFormat.versionColumn]
    let columns = fixed.map { ($0, "f.\($0)") } + mapping.source.columns.map { (q($0.name), $0.expression) }
    let range = "f.\(id) > ?1 AND f.\(id) <= ?2"
    let insert =
      "INSERT INTO \(q(table.name)) (\(columns.map(\.0).joined(separator: ", "))) "
      + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(mapping.rows(range)) ORDER BY f.\(id)"
    let externals = mapping.externals.map { external in
      "INSERT INTO \(q(external.table.name)) (\(ExternalTable.rowColumn), \(ExternalTable.valueColumn)) "
        + "SELECT f.\(id), \(external.expression) FROM \(mapping.rows("\(range) AND (\(external.expression)) IS NOT NULL"))"
    }
    var low = Int64.min
    while let high = try end(of: mapping, after: low) {
      let rows = try run(insert, low, high, mapping.source.values)
      for external in externals { _ = try run(external, low, high, mapping.source.values) }
      try progress.carried(rows)
      low = high
    }
  }

  /// The last identifier of the next rows; nil where there are none.
  private func end(of mapping: ClassMapping, after low: Int64) throws -> Int64? {
    let sql =
      "SELECT max(\(id)) FROM (SELECT f.\(id) FROM \(mapping.rows("f.\(id) > ?1")) ORDER BY f.\(id) "
      + "LIMIT \(MigrationCarrier.rowsAtOnce))"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, low)
      defer { statement.reset() }
      return try statement.step() && !statement.isNull(0) ? statement.int64(0) : nil
    }
  }

  private func run(_ sql: String, _ low: Int64, _ high: Int64, _ values: [StoredValue]) throws -> Int64 {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, low)
      statement.bind(2, high)
      for (place, value) in values.enumerated() where sql.contains("?\(place + RowExpressions.firstValue)") {
        statement.bind(Int32(place + RowExpressions.firstValue), value)
      }
      try statement.run()
      return connection.changes
    }
  }

  private func fillLinks(of change: TableChange) throws {
    for layout in change.hierarchy.members {
      for relation in layout.ownRelations {
        guard case .link(let link, true) = relation.form, !migration.kept.contains(link.name) else { continue }
        let mapping = RelationMapping(relation, of: layout, migration.matches, in: migration.store, migration.names)
        guard let pairs = mapping.pairs else { continue }
        let columns =
          [LinkTable.sourceColumn, LinkTable.targetColumn, LinkTable.sourceOrder]
          + (link.isOrderedByTarget ? [LinkTable.targetOrder] : [])
        let values = ["owner", "other", "owner_order"] + (link.isOrderedByTarget ? ["other_order"] : [])
        try connection.execute(
          "INSERT OR IGNORE INTO \(q(link.name)) (\(columns.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs.query))")
      }
    }
  }

  // MARK: Rows that go

  /// What belonged to rows of classes that are no more, and what referred to them.
  private func forgetRemovedRows() throws {
    let known = Set(migration.tables.map(\.name))
    for table in migration.tables {
      for sql in table.orphanDeletion(known) { try connection.execute(sql) }
      for column in table.columns {
        guard let destination = column.references else { continue }
        let isThere = migration.tables.contains { $0.name == destination }
        let leadsNowhere =
          "\(q(column.name)) IS NOT NULL"
          + (isThere ? " AND \(q(column.name)) NOT IN (SELECT \(id) FROM \(q(destination)))" : "")
        if column.isOptional {
          try connection.execute("UPDATE \(q(table.name)) SET \(q(column.name)) = NULL WHERE \(leadsNowhere)")
        } else if let count = try connection.int64("SELECT count(*) FROM \(q(table.name)) WHERE \(leadsNowhere)"),
          count > 0
        {
          throw StoreError.notMigratable(
            url,
            [
              "\(table.name).\(column.property) is not optional, and there are rows whose own goes with its class (\(count))"
            ])
        }
      }
    }
  }
}

extension TableDefinition {
  /// The statements that remove what lies beside rows that are no more: keys that are not enforced remove nothing.
  ///
  /// - Parameter known: The tables that there are.
  func orphanDeletion(_ known: Set<String>) -> [String] {
    let q = StoreFormat.quoted
    func isGone(_ column: String, _ table: String) -> String {
      known.contains(table) ? "\(column) NOT IN (SELECT \(StoreFormat.identifierColumn) FROM \(q(table)))" : "1"
    }
    return (links ?? []).map { link in
      "DELETE FROM \(q(link.name)) WHERE \(isGone(LinkTable.sourceColumn, link.source)) "
        + "OR \(isGone(LinkTable.targetColumn, link.target))"
    }
      + (externals ?? []).map { external in
        "DELETE FROM \(q(external.name)) WHERE \(isGone(ExternalTable.rowColumn, external.entity))"
      }
  }
}
