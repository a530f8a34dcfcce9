import Foundation
import LarderSQLite
import LarderSupport

/// The implementation of a container, which its contexts keep alive.
///
/// A container holds its main context, so a context that held the container would keep both forever. Contexts hold
/// the core instead, and the public container is recreated for a context that outlived it.
// @unchecked: metatypes and `Schema` are immutable; a lock or the main actor guards all mutable state.
package final class ContainerCore: @unchecked Sendable {
  package let schema: Schema
  package let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The stores, in the order of their configurations.
  package let stores: [ContainerStore]
  /// The index of the store that contains each entity, by the layout's number.
  private let storeIndexes: [Int: Int]
  /// The result of opening the stores.
  let migrationReport: MigrationReport
  private let incomingRelationsByLayout: [Int: [IncomingRelationship]]

  private struct Shared {
    var configurations: Set<ModelConfiguration>
    weak var facade: ModelContainer?
  }

  private let shared: Locked<Shared>
  /// A closure that creates a context of the store before a migration stage, for the context in which the stage runs.
  var makePreviousContext: (@Sendable () throws -> ModelContext)? {
    get { previousContextFactory.withLock { $0 } }
    set { previousContextFactory.withLock { $0 = newValue } }
  }
  private let previousContextFactory = Locked<(@Sendable () throws -> ModelContext)?>(nil)
  /// The executor that runs live queries again, while there are some.
  let liveQueryExecutor = Locked(LiveQueryExecutor.WeakReference())
  @MainActor private var currentMainContext: WeakHandle<ModelContext>?

  init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any DataStoreConfiguration], migration: MigrationOptions = MigrationOptions()
  ) throws {
    let given: [any DataStoreConfiguration] =
      configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    let opened = try ContainerCore.layouts(of: schema)
    let plan = try StoreAssignment(given, layouts: opened)
    for part in plan.entries { try ContainerCore.checkNameCollisions(of: part.layouts) }
    SnapshotModelRegistry.register(opened)

    self.schema = schema
    self.migrationPlan = migrationPlan
    storeIndexes = Dictionary(
      uniqueKeysWithValues: plan.entries.enumerated().flatMap { place, part in part.layouts.map { ($0.id, place) } })
    incomingRelationsByLayout = IncomingRelationship.all(in: opened)
    shared = Locked(Shared(configurations: Set(given.compactMap { $0 as? ModelConfiguration })))
    let models = MigrationConfiguration(
      version: schema.version, isVersioned: schema.isVersioned, plan: migrationPlan, options: migration)
    stores = try plan.entries.enumerated().map { place, part in
      var own = models.limited(to: part, of: plan)
      own.remainingStores = plan.entries.count - 1 - place
      return try ContainerStore(part, own, of: schema)
    }
    migrationReport = try stores.reduce(into: MigrationReport()) { $0.merge(try $1.migrationReport) }
    try checkDistinctStores()
    for one in stores { try one.sqlite?.removeMigrationBackup() }
    models.progress.finish()
  }

  /// Creates the container of a migration stage, on an open store.
  init(schema: Schema, stage: ContainerStore) {
    self.schema = schema
    migrationPlan = nil
    storeIndexes = Dictionary(stage.layouts.map { ($0.id, 0) }, uniquingKeysWith: { first, _ in first })
    incomingRelationsByLayout = IncomingRelationship.all(in: stage.layouts)
    shared = Locked(Shared(configurations: [ModelConfiguration(url: stage.store.url, allowsSave: stage.allowsSave)]))
    stores = [stage]
    migrationReport = MigrationReport()
  }

  /// Throws if two configurations open the same store: a file has many names, so that only opening it shows this.
  private func checkDistinctStores() throws {
    for (index, one) in stores.enumerated() {
      guard let other = stores[..<index].first(where: { $0.store === one.store }) else { continue }
      throw SwiftDataError.duplicateConfiguration.explained(
        "The container's configurations \"\(other.name)\" and \"\(one.name)\" lead to the same "
          + "file, \(one.store.url.path). Give each its own, or put the models of both into one.")
    }
    for (index, one) in stores.enumerated() {
      guard let other = stores[..<index].first(where: { $0.store.identifier == one.store.identifier }) else { continue }
      if one.store.backend != nil || other.store.backend != nil {
        throw SwiftDataError.duplicateConfiguration.explained(
          "The data stores of the configurations \"\(other.name)\" and \"\(one.name)\" have the same identifier, "
            + "\(one.store.identifier). Give each its own.")
      }
      throw SwiftDataError.duplicateConfiguration.explained(
        "\(one.store.url.path) and \(other.store.url.path) are copies of one store, whose models have the same identifiers. "
          + "Open one of them, or each in a container of its own.")
    }
  }

  var configurations: Set<ModelConfiguration> {
    get { shared.withLock { $0.configurations } }
    set { shared.withLock { $0.configurations = newValue } }
  }

  /// The public container.
  package var facade: ModelContainer {
    shared.withLock { shared in
      if let facade = shared.facade { return facade }
      let facade = ModelContainer(core: self)
      shared.facade = facade
      return facade
    }
  }

  func setFacade(_ container: ModelContainer) { shared.withLock { $0.facade = container } }

  /// The context for the main actor, which the public container holds.
  @MainActor var mainContext: ModelContext {
    if let context = currentMainContext?.object { return context }
    let context = ModelContext(core: _ContextCore(container: self))
    context.core.setFacade(context)
    context.core.setScheduler(.main)
    context.autosaveEnabled = true
    currentMainContext = context.weakHandle
    return context
  }

  package func contains(_ layout: _ModelLayout) -> Bool { storeIndexes[layout.id] != nil }

  /// Returns whether contexts may save an entity of the container.
  func allowsSave(_ layout: _ModelLayout) -> Bool { stores[storeIndex(of: layout)].allowsSave }

  /// Returns the index of the store that contains an entity of the container.
  package func storeIndex(of layout: _ModelLayout) -> Int { storeIndexes[layout.id] ?? 0 }

  /// Returns the relationships to an entity or its superclasses that have no inverse.
  package func incomingRelations(of layout: _ModelLayout) -> [IncomingRelationship] {
    guard let base = layout.base else { return incomingRelationsByLayout[layout.id] ?? [] }
    return incomingRelations(of: base) + (incomingRelationsByLayout[layout.id] ?? [])
  }

  func layout(named entity: String) -> _ModelLayout? { schema.modelTypes[entity]?._$layout }

  package static func layouts(of schema: Schema) throws -> [_ModelLayout] {
    try schema.checkModels()
    let layouts = try schema.entities.map { entity in
      guard let type = schema.modelTypes[entity.name] else {
        throw SwiftDataError.loadIssueModelContainer.explained(
          "\(entity.name) has no class in this program. Make the schema from model types.")
      }
      if let problem = type._$layout.problem ?? type._$layout.transformerProblem { throw problem }
      return type._$layout
    }
    if let problem = ModelHierarchy.all(layouts).lazy.compactMap(\.problem).first { throw problem }
    return layouts
  }

  private static func checkNameCollisions(of layouts: [_ModelLayout]) throws {
    guard let clash = StoreNamespace(ModelHierarchy.all(layouts).map { TableDefinition($0) }).collisions.first else {
      return
    }
    throw SwiftDataError.loadIssueModelContainer.explained("\(clash).")
  }
}
