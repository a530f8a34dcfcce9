import Foundation
import LarderData
import LarderSQLite

/// The models of the version before a stage, for the closure that runs after it.
///
/// Its tables and those of the later version have the same names. So the former tables, which are kept until the
/// closure ends, are copied to a database next to the store, but only on demand.
// @unchecked: used by the migrating thread, behind the container's lock.
final class PreviousModels: @unchecked Sendable {
  private let version: SchemaVersion
  private let names: TemporaryTableNames
  private let runner: StageRunner
  /// The former classes, and the root class of their hierarchy after the stage.
  private let rootNames: [(former: String, root: String)]
  /// The registered identities, which hold those names. Retained here.
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

  /// Returns the context, and creates the copy on the first call.
  ///
  /// - Throws: ``StoreError`` if the copy cannot be created.
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
    // Created here, for its owner alone. The migration locks out all other processes, so the file needs no draft, which
    // a killed program would leave behind under another name.
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
      // Gives a former object the identifier of its successor, whatever the name of its class.
      identities = rootNames.filter { $0.former != $0.root }.map { former, root in
        EntityIdentity.registerSubentity(former, of: root, store: runner.storeIdentifier)
      }
      for hierarchy in version.hierarchies { store.register(hierarchy) }
      return store.stageContext(of: version.layouts, version: version.identifier)
    }
    openContext = context
    return context
  }

  /// Copies row by row, since neither connection may attach the other's database inside a transaction.
  private func copyRows(to copy: Connection, from store: Connection) throws {
    let q = StoreFormat.quoted
    for name in version.definitions.flatMap({ [$0.name] + $0.companionTables }) {
      // The former table may have columns that the user added and that the models do not know.
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

  /// Removes the files that a program left behind when it was killed during a stage.
  static func removeLeftovers(nextTo url: URL) {
    url.companionFile(suffix: MigrationBackup.stageSuffix).removeDatabase()
  }
}
