import Foundation
import LarderSQLite
import Synchronization

/// Runs a program's part of a stage on a context of that version's models, in the migration's own transaction.
struct StageWork {
  let database: Database
  let url: URL
  /// The VFS of the store, which the files beside it have, too.
  let vfs: String?
  let storeIdentifier: String

  /// What the context has not saved by the end of the work is saved.
  func run(
    _ work: (ModelContext) throws -> Void, as version: SchemaVersion, former: FormerModels? = nil,
    lacking: [String: Set<[String]>] = [:]
  ) throws {
    let store = SQLiteStore(
      database: database, url: url, identifier: storeIdentifier, isReadOnly: false, isOfStage: true,
      lacking: lacking)
    for hierarchy in version.hierarchies { store.add(hierarchy) }
    let context = StageWork.context(of: version, on: store)
    context.core.container.formerModels = former
    defer {
      store.isOver.store(true, ordering: .releasing)
      context.core.container.formerModels = nil
      former?.close()
    }
    try work(context)
    // What the work may have caught.
    try database.requireTransaction()
    if context.hasChanges { try context.save() }
    try database.exclusively { try removeOrphans(version, on: $0) }
  }

  /// Without keys being enforced, what lies beside a row does not go with it.
  private func removeOrphans(_ version: SchemaVersion, on connection: Connection) throws {
    let known = Set(version.definitions.map(\.name))
    for table in version.definitions {
      for sql in table.orphanDeletion(known) { try connection.execute(sql) }
    }
  }

  /// A context of a version's models on a store that is open already.
  static func context(of version: SchemaVersion, on store: SQLiteStore) -> ModelContext {
    // The models that lie in this store.
    let schema = Schema(version.layouts.map(\.type), version: version.identifier)
    let core = ContainerCore(schema: schema, stage: ContainerStore(store, url: store.url, layouts: version.layouts))
    return ModelContext(ModelContainer(core: core))
  }
}
