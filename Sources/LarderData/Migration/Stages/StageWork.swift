import Foundation
import LarderSQLite

/// Runs a program's part of a stage on a context of that version's models, in the migration's own transaction.
struct StageWork {
  let database: Database
  let url: URL
  let storeIdentifier: String

  /// What the context has not saved by the end of the work is saved.
  func run(
    _ work: (ModelContext) throws -> Void, as version: SchemaVersion, former: FormerModels? = nil
  ) throws {
    let store = SQLiteStore(
      database: database, url: url, identifier: storeIdentifier, isReadOnly: false, isOfStage: true)
    for hierarchy in version.hierarchies { store.add(hierarchy) }
    let context = StageWork.context(of: version, on: store)
    context.core.container.formerModels = former
    defer {
      context.core.container.formerModels = nil
      former?.close()
    }
    try work(context)
    if context.hasChanges { try context.save() }
    try database.exclusively { try removeOrphans(version, on: $0) }
  }

  /// Without keys being enforced, what lies beside a row does not go with it.
  private func removeOrphans(_ version: SchemaVersion, on connection: Connection) throws {
    for table in version.definitions {
      for sql in table.orphanDeletion { try connection.execute(sql) }
    }
  }

  /// A context of a version's models on a store that is open already.
  static func context(of version: SchemaVersion, on store: SQLiteStore) -> ModelContext {
    let schema = Schema(versionedSchema: version.type)
    let core = ContainerCore(schema: schema, stage: ContainerStore(store, url: store.url, layouts: version.layouts))
    return ModelContext(ModelContainer(core: core))
  }
}
