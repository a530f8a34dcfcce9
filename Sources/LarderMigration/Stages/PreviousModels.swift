import Foundation
import LarderData
import LarderSQLite

/// The models of the version before a stage, for the work that comes after it.
///
/// Its objects have tables of their names, and so have those of the version after. So the former tables, which stay until
/// the work is done, are copied to a database beside the store; only if somebody asks.
// @unchecked: used by the thread that migrates, and behind the container's lock.
final class PreviousModels: @unchecked Sendable {
  private let version: SchemaVersion
  private let names: TemporaryTableNames
  private let runner: StageRunner
  /// The former classes, and what the topmost class of their hierarchies is called after the stage.
  private let rootNames: [(former: String, root: String)]
  /// Held, because they know that.
  private var identities: [EntityIdentity] = []
  private var openContext: ModelContext?
  private var database: Database?

  init(
    _ version: SchemaVersion, _ names: TemporaryTableNames, _ work: StageRunner,
    rootNames became: [(former: String, root: String)]
  ) {
    self.rootNames = became
    self.version = version
    self.names = names
    self.runner = work
  }

  private var fileURL: URL { runner.url.companionFile(suffix: MigrationBackup.stageSuffix) }

  /// - Throws: ``StoreError`` where the copy cannot be made.
  func context() throws -> ModelContext {
    if let openContext { return openContext }
    if let problem = runner.url.companionNameProblem(suffix: MigrationBackup.stageSuffix, isDatabase: true) {
      throw StoreError(
        .cannotOpen, runner.url,
        "The file \(fileURL.path(percentEncoded: false)) for the models as they were before a stage can't be made: the store's "
          + "\(problem), since that file's is longer. Give the store a shorter name while nobody has it open. The store is as "
          + "it was.")
    }
    PreviousModels.removeLeftovers(nextTo: runner.url)
    // Made here, for its owner alone: the migration keeps everybody else from it, so it needs no draft, which a program that is
    // killed would leave under a name of its own.
    guard
      FileManager.default.createFile(
        atPath: fileURL.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o600])
    else {
      throw StoreError(
        .cannotOpen, runner.url,
        "The file \(fileURL.path(percentEncoded: false)) for the models as they were before a stage can't be made. Make room, or "
          + "let the folder be written. The store is as it was.")
    }
    let context = try StoreError.mapErrors(fileURL, "copying the models as they were before a stage") {
      let database = try Database(path: fileURL.path(percentEncoded: false), vfs: runner.vfs) {
        try PredicateFunctions.register(on: $0)
      }
      self.database = database
      try database.withWriter { connection in
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF")
        try connection.transaction {
          for sql in version.definitions.flatMap(\.creation) { try connection.execute(sql) }
          try runner.database.exclusively { store in try copyRows(to: connection, from: store) }
        }
      }
      let store = SQLiteStore(
        migrationStageIn: database, url: fileURL, identifier: runner.storeIdentifier, isReadOnly: true)
      // So that a former object's identifier is that of what it became, whatever its class is called.
      identities = rootNames.filter { $0.former != $0.root }.map { former, root in
        EntityIdentity.registerSubentity(former, of: root, store: runner.storeIdentifier)
      }
      for hierarchy in version.hierarchies { store.register(hierarchy) }
      return store.stageContext(of: version.layouts, version: version.identifier)
    }
    openContext = context
    return context
  }

  /// Row by row, since neither connection may attach the other's database inside a transaction.
  private func copyRows(to copy: Connection, from store: Connection) throws {
    let q = StoreFormat.quoted
    for name in version.definitions.flatMap({ [$0.name] + $0.companionTables }) {
      // The former table may have columns that were added by hand, of which the models know nothing.
      let columns = try StoreMetadata.strings(
        "SELECT name FROM pragma_table_info(\(StoreFormat.literal(name)))", on: copy)
      let all = columns.map(q).joined(separator: ", ")
      try store.withStatement(for: "SELECT \(all) FROM \(q(names[name]))") { source in
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let insert = "INSERT INTO \(q(name)) (\(all)) VALUES (\(places))"
        defer { source.reset() }
        try copy.withStatement(for: insert) { target in
          while try source.step() {
            for place in 0..<source.columnCount {
              target.bind(place + 1, _StoredValue(column: place, of: source.handle))
            }
            try target.run()
          }
        }
      }
    }
  }

  func close() {
    openContext = nil
    database?.close()
    database = nil
    PreviousModels.removeLeftovers(nextTo: runner.url)
  }

  /// A program that was killed in a stage may have left them.
  static func removeLeftovers(nextTo url: URL) {
    url.companionFile(suffix: MigrationBackup.stageSuffix).removeDatabase()
  }
}
