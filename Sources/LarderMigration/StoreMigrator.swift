import Foundation
package import LarderData
package import LarderSQLite
import LarderSupport

/// Migrates a store to the container's models when it is opened: by the plan's stages, or automatically without a plan.
///
/// Everything happens in one transaction. If the program ends meanwhile for any reason, the store is unchanged.
///
/// The core finds this class by its name; see `StoreMigrating`.
package final class StoreMigrator: StoreMigrating {
  private let database: Database
  private let url: URL
  private let vfs: String?
  private let models: MigrationConfiguration
  private let hierarchies: [ModelHierarchy]
  private let identifier: String
  private let progress: MigrationProgress
  package private(set) var removedProperties: [MigrationReport.RemovedProperty] = []

  package init(_ database: Database, _ options: SQLiteStore.Options, layouts: [_ModelLayout], identifier: String) {
    self.database = database
    url = options.url
    vfs = options.vfs
    models = options.models
    hierarchies = ModelHierarchy.all(layouts)
    self.identifier = identifier
    progress = options.models.progress
  }

  /// Migrates the store if necessary.
  ///
  /// - Returns: Whether the store was migrated by this call. If not, a copy of its former state is no longer needed
  ///   once the store is open.
  /// - Throws: ``StoreError`` if the store cannot be migrated; it is unchanged then.
  package func migrate() throws -> Bool {
    guard try database.read({ try isNeeded(on: $0) }) else { return false }
    let copy = MigrationBackup(url, vfs: vfs)
    try database.exclusively { connection in
      // Tables are replaced under the same names. References to them must neither follow a renamed table nor be deleted
      // with it, and neither setting can be changed inside a transaction.
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
      defer { try? connection.execute("PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON") }
      var hasCopy = false
      var lost: [RemovedProperty] = []
      do {
        try database.transactionInTurn(on: connection) {
          // Another process may have migrated the store first.
          guard try isNeeded(on: connection) else { return }
          PreviousModels.removeLeftovers(nextTo: url)
          lost = try removedValues(on: connection)
          do {
            try progress.withCancellation(on: connection) { try migrate(on: connection, copy, hasCopy: &hasCopy) }
          } catch {
            // SQLite itself may have ended the transaction and released its lock.
            if hasCopy, connection.isInTransaction {
              copy.discard()
              hasCopy = false
            }
            throw error
          }
        }
      } catch {
        if hasCopy { finalizeBackup(copy, on: connection) }
        throw error
      }
      removedProperties = lost.map(\.publicReport)
      if !lost.isEmpty {
        Log.warning(
          "\(StoreError.storeDescription(url)) was brought to models that have no place for some of its values, which went: "
            + "\(StoreError.list(lost)).")
      }
      if hasCopy { finalizeBackup(copy, on: connection) }
    }
    database.signal?.signalCommit()
    return true
  }

  /// Finalizes the backup after the transaction, whether that was committed or not. Other processes may have migrated
  /// the store since it ended, and have backups of their own.
  private func finalizeBackup(_ copy: MigrationBackup, on connection: Connection) {
    // If the file cannot be renamed now, the next migration renames it: the store is migrated.
    try? database.transactionInTurn(on: connection) {
      try copy.finalize(StoreMetadata.previousCopy(on: connection) ?? 0)
    }
  }

  /// Returns whether stages of the plan must run in a store whose schema is current.
  package func hasPendingStages() throws -> Bool {
    guard let plan = models.plan else { return false }
    return try database.read { connection in
      let tables = try StoreMetadata.tables(on: connection, at: url)
      let recorded = try StoreMetadata.version(on: connection)
      if tables.isEmpty || recorded == models.newestVersion { return false }
      return try !migrationPath(plan, tables, recorded).steps.isEmpty
    }
  }

  /// Throws if the store has a later version than the models, whatever its schema: a stage may have changed the meaning
  /// of its values. With a plan, the plan's own versions decide.
  ///
  /// - Throws: ``StoreError`` with the code `newerSchema`.
  package func rejectLaterVersion() throws {
    try database.read { try rejectLaterVersion(on: $0) }
  }

  package func rejectLaterVersion(on connection: Connection) throws {
    guard models.isVersioned, models.plan == nil, let recorded = try StoreMetadata.version(on: connection),
      recorded > models.version
    else { return }
    throw StoreError.laterVersion(url, recorded, models.version)
  }

  /// Throws if the store has rows under a model's former name in addition to rows under its current name, or if models
  /// exchange names: the rows under the former name would not be read. A plan, or the models' version number, resolves
  /// the ambiguity.
  ///
  /// - Throws: ``StoreError`` with the code `schemaMismatch`.
  package func rejectAmbiguousRenames() throws {
    let renamed = ModelHierarchy.originalNames(hierarchies)
    if models.plan != nil || renamed.isEmpty { return }
    let names = hierarchies.flatMap(\.members).map(\.entityName)
    let problems = try database.read { connection in
      let store = StoredSchema(try StoreMetadata.tables(on: connection, at: url))
      let unclear = AmbiguousRenames(names, renamed: renamed, in: store)
      let isOfVersion = try models.isVersioned && StoreMetadata.version(on: connection) == models.version
      return isOfVersion ? [] : try unclear.swapProblems + unclear.unreadRowProblems(on: connection)
    }
    guard problems.isEmpty else { throw StoreError.notMigratable(url, problems) }
  }

  // MARK: Planning

  private func isNeeded(on connection: Connection) throws -> Bool {
    let tables = try StoreMetadata.tables(on: connection, at: url)
    if tables.isEmpty { return false }
    let known = Set(tables)
    // In the common case the recorded tables equal the models', and there is nothing to plan.
    if !hierarchies.allSatisfy({ known.contains(TableDefinition($0)) }) {
      let migration = StoreMigration(tables, to: hierarchies)
      if !migration.onlyCreatesTables || migration.changesRecordedSchema { return true }
    }
    guard let plan = models.plan else { return false }
    let recorded = try StoreMetadata.version(on: connection)
    if recorded == models.newestVersion { return false }
    // Without a step the version number is still recorded, so that a later stage finds it.
    _ = try migrationPath(plan, tables, recorded)
    return true
  }

  private func migrationPath(
    _ plan: any SchemaMigrationPlan.Type, _ tables: [TableDefinition], _ recorded: Schema.Version?
  ) throws -> MigrationPath {
    let path = try MigrationPath(plan, of: tables, recorded: recorded, at: url, models)
    let differences = path.target.differences(of: hierarchies)
    guard differences.isEmpty else { throw StoreError.planForOtherModels(url, path.target.identifier, differences) }
    return path
  }

  /// Returns the values that are removed although no plan says so.
  private func removedValues(on connection: Connection) throws -> [RemovedProperty] {
    if models.plan != nil { return [] }
    // The version check reports more about this case.
    if let recorded = try StoreMetadata.version(on: connection), recorded > models.version { return [] }
    let migration = StoreMigration(try StoreMetadata.tables(on: connection, at: url), to: hierarchies)
    let lost = try migration.removedProperties(of: migration.matches.all, on: connection).filter { ($0.rows ?? 0) > 0 }
    if !lost.isEmpty, migration.problems.isEmpty, models.options.removedValues == .refuse {
      throw StoreError.valueLoss(url, lost)
    }
    return lost
  }

  // MARK: Execution

  private func migrate(on connection: Connection, _ copy: MigrationBackup, hasCopy: inout Bool) throws {
    let tables = try StoreMetadata.tables(on: connection, at: url)
    let recorded = try StoreMetadata.version(on: connection)
    var steps: [MigrationPath.Step] = []
    if let plan = models.plan {
      steps = try migrationPath(plan, tables, recorded).steps
    } else if let recorded, recorded > models.version {
      throw StoreError.newerSchema(url, recorded, models.version, tables, hierarchies.map { TableDefinition($0) })
    }
    var broken = try DanglingForeignKeys(on: connection)
    try copy.finalize(StoreMetadata.previousCopy(on: connection) ?? 0)
    if progress.isObserved {
      progress.setExpectedWork(
        try workEstimate(of: steps, tables, on: connection), remainingStores: models.remainingStores)
    }
    if models.options.keepsPreviousStore {
      let number = MigrationBackup.newNumber()
      try copy.create(number, progress)
      hasCopy = true
      try StoreMetadata.setPreviousCopy(number, on: connection)
    }
    // After the copy, which is for the program in its former version.
    try StoreMetadata.upgradeFormat(on: connection)
    // The recorded history names models that no longer exist, and a stage's own changes are not recorded.
    var holdsHistory = true
    for (index, step) in steps.enumerated() {
      // A store that was opened with fewer models lacks tables that the stage expects.
      if index == 0 { try migrateTables(to: step.from.hierarchies, &broken, on: connection)?.finish() }
      holdsHistory = try runStage(step, &broken, on: connection) && holdsHistory
    }
    if let carrier = try suggestingMissingPlan(
      recorded, { try migrateTables(to: hierarchies, &broken, on: connection) })
    {
      try carrier.finish()
      holdsHistory = holdsHistory && carrier.isPurelyAdditive
    }
    if !holdsHistory { try HistoryTable.reset(on: connection) }
    try StoreMetadata.setVersion(models.newestVersion, on: connection)
    // Keys that were dangling before are not caused by the migration.
    let more = try DanglingForeignKeys(on: connection).tables(exceeding: broken)
    if !more.isEmpty { throw StoreError.danglingForeignKeys(url, more) }
  }

  /// Runs the body, and adds a hint to its error: models of a later version without a plan usually belong to a program
  /// that has one.
  private func suggestingMissingPlan<Result>(_ recorded: Schema.Version?, _ body: () throws -> Result) throws -> Result
  {
    do { return try body() } catch let error as StoreError where error.code == .schemaMismatch {
      guard models.isVersioned, models.plan == nil, let recorded, recorded < models.version else { throw error }
      throw StoreError(
        .schemaMismatch, url,
        "\(error.explanation) The store's models are of version \(recorded), these are of \(models.version), and no migration "
          + "plan was given: where there is one, give it to the container.")
    }
  }

  /// Returns the estimated work, for a progress observer.
  private func workEstimate(
    of steps: [MigrationPath.Step], _ tables: [TableDefinition], on connection: Connection
  ) throws -> [Int64] {
    var shares = try MigrationWorkEstimate(tables, on: connection)
    if let first = steps.first { shares.addCopying(to: first.from.hierarchies) }
    for step in steps { shares.addStage(step) }
    shares.addCopying(to: hierarchies)
    return shares.parts
  }

  /// - Returns: Whether the stage only adds to the existing data.
  private func runStage(_ step: MigrationPath.Step, _ broken: inout DanglingForeignKeys, on connection: Connection)
    throws -> Bool
  {
    let ambiguous = step.conflictingRenames(in: StoredSchema(try StoreMetadata.tables(on: connection, at: url)))
    guard ambiguous.isEmpty else { throw StoreError.notMigratable(url, ambiguous) }
    let work = StageRunner(database: database, url: url, vfs: vfs, storeIdentifier: identifier)
    if let willMigrate = step.stage.willMigrate {
      progress.beginPart()
      try work.run(willMigrate, as: step.from)
    }
    let (taken, removed) = step.classes(in: StoredSchema(try StoreMetadata.tables(on: connection, at: url)))
    let carrier = try migrateTables(
      to: step.to.hierarchies, &broken, removing: removed, leavingRest: step.stage.didMigrate != nil, on: connection)
    if let didMigrate = step.stage.didMigrate {
      progress.beginPart()
      let former = PreviousModels(
        step.from, carrier?.migration.names ?? TemporaryTableNames(), work,
        rootNames: taken.map { ($0, $1.root.entityName) })
      try work.run(didMigrate, as: step.to, previous: former, missingUniqueGroups: carrier?.missingUniqueGroups ?? [:])
    }
    try carrier?.finish()
    return step.stage.willMigrate == nil && step.stage.didMigrate == nil && carrier?.isPurelyAdditive ?? true
  }

  private func migrateTables(
    to hierarchies: [ModelHierarchy], _ broken: inout DanglingForeignKeys, removing removed: Set<String> = [],
    leavingRest: Bool = false, on connection: Connection
  ) throws -> MigrationExecutor? {
    progress.beginPart()
    let tables = try StoreMetadata.tables(on: connection, at: url)
    // Data that is removed or merged would otherwise be missing in the stage's view of the previous models.
    let movesAll = leavingRest && !removed.isEmpty
    let migration = StoreMigration(
      tables, to: hierarchies, removing: removed, leavingRest: leavingRest, replacingAll: movesAll)
    if migration.isEmpty { return nil }
    // A version number or a plan has shown already that the store is not from a newer program.
    let unknown = models.hasExplicitVersion ? [] : migration.unknownToModels
    let carrier = MigrationExecutor(
      migration, to: hierarchies, connection, models.options, progress, url, unknownToModels: unknown)
    try carrier.execute()
    broken.applyRenames(of: migration)
    return carrier
  }
}
