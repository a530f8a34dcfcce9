import Foundation
package import LarderData
import LarderSQLite
import LarderSupport

/// Predicts the effects of a migration from a store's schema, the models' schema, and the current rows.
struct MigrationForecaster {
  private let migration: StoreMigration
  private let connection: Connection
  private let url: URL
  private var problems: [String] = []
  private var conditions: [String] = []
  private var failure: StoreError?
  private let ambiguousRenames: AmbiguousRenames
  private let quoted = StoreFormat.quoted

  /// - Parameter renamed: The classes' names in an earlier version, by their current names.
  init(
    _ tables: [TableDefinition], to definitions: [TableDefinition], renamed: [String: String],
    on connection: Connection, at url: URL
  ) {
    ambiguousRenames = AmbiguousRenames(definitions.flatMap(\.classNames), renamed: renamed, in: StoredSchema(tables))
    // Nothing is renamed for the prediction, so tables have their current names.
    migration = StoreMigration(tables, to: definitions, renamed: renamed).inPlace
    self.connection = connection
    self.url = url
  }

  mutating func forecast() throws -> MigrationForecast {
    problems = migration.problems + (try UserSchemaObjects(migration, on: connection).problems)
    problems += try ambiguousRenames.swapProblems + ambiguousRenames.unreadRowProblems(on: connection)
    var tables: [MigrationForecast.Table] = []
    for definition in migration.definitions { try addTable(definition, to: &tables) }
    for change in migration.changes where !change.isRebuilt {
      for mapping in (change.definition.relationships ?? []).flatMap({ migration.mappings(of: $0) }) {
        if let problem = mapping.problem { problems.append(problem) }
        try evaluate(mapping.checks)
      }
    }
    tables += unlistedTables()
    var seen: Set<String> = []
    problems = problems.filter { seen.insert($0).inserted }
    conditions = conditions.filter { seen.insert($0).inserted }
    // The first problem found.
    if !problems.isEmpty { failure = .notMigratable(url, problems) }
    let isNothing = migration.isEmpty
    return MigrationForecast(
      verdict: failure != nil ? .impossible : !conditions.isEmpty ? .depends : isNothing ? .nothing : .possible,
      tables: tables.inOrder { $0.name < $1.name }, rows: tables.reduce(0) { $0 + $1.rows }, problems: problems,
      conditions: conditions,
      failure: failure.map { .init(code: $0.code.rawValue, explanation: $0.explanation) })
  }

  private mutating func addTable(_ definition: TableDefinition, to tables: inout [MigrationForecast.Table]) throws {
    guard let change = migration.changes.first(where: { $0.definition.name == definition.name }) else { return }
    let mappings = change.isRebuilt ? migration.mappings(of: change) { _, _ in nil } : []
    var rows: Int64 = 0
    for mapping in mappings {
      problems += mapping.problems
      try evaluate(mapping.checks)
      rows += try connection.int64("SELECT count(*) FROM \(mapping.rows(nil))") ?? 0
    }
    problems += try RowIDCollisionCheck(definition, mappings, on: connection).problems()
    let work: MigrationForecast.Work =
      switch change.kind {
      case .created: .create
      case .reindexed: .indexes
      case .redescribed: .describe
      case .rebuilt: .rebuild
      }
    let collisions = try CollisionSearch(migration, change, mappings, connection).find()
    for collision in collisions where failure == nil {
      failure = .collisions(url, definition, collision.columns, collision.values, collision.rows)
    }
    tables.append(
      .init(
        name: definition.name, work: work, rows: rows,
        changes: try TableComparison(migration, change, connection).changes(), collisions: collisions))
  }

  private mutating func evaluate(_ checks: [RowCheck]) throws {
    for check in checks {
      guard let found = try check.problem(on: connection) else { continue }
      if check.isDefinite { problems.append(found) } else { conditions.append(found) }
    }
  }

  /// Returns the store's tables that belong to none of the models.
  private func unlistedTables() -> [MigrationForecast.Table] {
    let taken = Set(migration.replacedTables.map(\.name)).union(migration.definitions.map(\.name))
    return migration.store.tables.filter { !taken.contains($0.name) }.map { table in
      .init(
        name: table.name, work: .none, rows: 0,
        changes: [
          .init(
            kind: .tableUnnamed, name: table.name, explanation: "none of the models; it stays as it is, with its rows")
        ], collisions: [])
    }
  }
}

extension StoreError {
  /// Returns the error that the migration itself would throw, without the values.
  fileprivate static func collisions(
    _ url: URL, _ table: TableDefinition, _ group: [String], _ values: Int64, _ rows: Int64
  ) -> StoreError {
    StoreError(
      .duplicateValues, url,
      "\(storeDescription(url)) has rows of \(table.name) that agree in \(group.joined(separator: ", ")), which is to be unique: "
        + "\(valueCountDescription(values)) more than once, in \(rows.pluralized("row")). Make them differ in a custom stage of a migration "
        + "plan, or say in MigrationOptions which row stays.")
  }
}

extension SQLiteStore {
  /// Predicts the effects of opening the store with a container of other models. Nothing is written.
  ///
  /// - Parameters:
  ///   - definitions: The tables of the models, as their own store would record them.
  ///   - version: The version of those models, if known.
  ///   - renamed: The classes' names in an earlier version, by their current names, as `RenamedModel` declares them.
  /// - Throws: ``StoreError`` if the store cannot be read.
  package func forecast(
    to definitions: [TableDefinition], version: String? = nil, renamed: [String: String] = [:]
  ) throws -> MigrationForecast {
    try StoreError.mapErrors(url, "looking at what a migration would do") {
      try database.read { connection in
        let tables = try StoreMetadata.tables(on: connection, at: url)
        // A program with these models has only their own declarations, not the names that a store remembers.
        let definitions = definitions.map(\.withoutRememberedNames)
        var forecaster = MigrationForecaster(tables, to: definitions, renamed: renamed, on: connection, at: url)
        var forecast = try forecaster.forecast()
        if forecast.verdict != .nothing, let recorded = try StoreMetadata.version(on: connection),
          let newest = StoreMetadata.parseVersion(version), recorded > newest
        {
          let error = StoreError.newerSchema(url, recorded, newest, tables, definitions)
          forecast.verdict = .impossible
          forecast.failure = .init(code: error.code.rawValue, explanation: error.explanation)
        }
        return forecast
      }
    }
  }
}
