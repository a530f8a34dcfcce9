import Foundation
import LarderData
import LarderSQLite
import Synchronization

/// Runs the closure of a stage on a context of that version's models, in the migration's own transaction.
struct StageRunner {
  let database: Database
  let url: URL
  /// The VFS of the store and of the files next to it.
  let vfs: String?
  let storeIdentifier: String

  /// Runs the closure, and saves the changes that it leaves unsaved.
  func run(
    _ work: (ModelContext) throws -> Void, as version: SchemaVersion, previous former: PreviousModels? = nil,
    missingUniqueGroups lacking: [String: Set<[String]>] = [:]
  ) throws {
    let store = SQLiteStore(
      migrationStageIn: database, url: url, identifier: storeIdentifier, isReadOnly: false,
      missingUniqueIndexes: lacking)
    for hierarchy in version.hierarchies { store.register(hierarchy) }
    let context = store.stageContext(of: version.layouts, version: version.identifier)
    if let former { context.makePreviousContext = { try former.context() } }
    defer {
      store.isStageFinished.store(true, ordering: .releasing)
      context.makePreviousContext = nil
      former?.close()
    }
    try work(context)
    // The closure may have caught the error that ended the transaction.
    try database.requireTransaction()
    if context.hasChanges { try context.save() }
    try database.exclusively { try removeOrphans(version, on: $0) }
  }

  /// Deletes the values and pairs of deleted rows: foreign keys are not enforced, so nothing cascades.
  private func removeOrphans(_ version: SchemaVersion, on connection: Connection) throws {
    let known = Set(version.definitions.map(\.name))
    for table in version.definitions {
      for sql in table.orphanDeletion(known) { try connection.execute(sql) }
    }
  }
}
