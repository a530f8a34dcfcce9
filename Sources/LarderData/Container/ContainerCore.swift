import LarderSQLite

/// What a container is made of, and what its contexts hold on to.
///
/// A container holds its main context, so a context that held the container would keep both for ever. Contexts hold
/// the core instead, and the public container is made anew for a context that outlived it.
// @unchecked: metatypes and `Schema` are immutable; everything that changes is behind a lock or the main actor.
package final class ContainerCore: @unchecked Sendable {
  package let schema: Schema
  package let migrationPlan: (any SchemaMigrationPlan.Type)?
  package let store: SQLiteStore
  package let allowsSave: Bool
  private let layouts: Set<Int>
  private let incomingRelations: [Int: [IncomingRelation]]

  private struct Shared {
    var configurations: Set<ModelConfiguration>
    weak var facade: ModelContainer?
  }

  private let shared: Locked<Shared>
  @MainActor private weak var currentMainContext: ModelContext?

  init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration]
  ) throws {
    let given = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    let configuration = try ContainerCore.single(given)
    try configuration.validate()
    let opened = try ContainerCore.layouts(of: schema)
    var options = SQLiteStore.Options(url: configuration.url)
    options.isInMemory = configuration.isStoredInMemoryOnly
    options.isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    StoreOptions.current.apply(to: &options)

    self.schema = schema
    self.migrationPlan = migrationPlan
    allowsSave = configuration.allowsSave
    layouts = Set(opened.map(\.id))
    incomingRelations = IncomingRelation.all(in: opened)
    shared = Locked(Shared(configurations: Set(given)))
    store = try SQLiteStore.open(options, layouts: opened)
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

  /// The context for the main actor; the container that asks holds it.
  @MainActor var mainContext: ModelContext {
    if let currentMainContext { return currentMainContext }
    let context = ModelContext(core: ContextCore(container: self))
    context.core.setFacade(context)
    context.core.take(.main)
    context.autosaveEnabled = true
    currentMainContext = context
    return context
  }

  package func contains(_ layout: ModelLayout) -> Bool { layouts.contains(layout.id) }

  /// The relationships to a model, or to one that it inherits from, that has none back.
  package func incoming(_ layout: ModelLayout) -> [IncomingRelation] {
    guard let base = layout.base else { return incomingRelations[layout.id] ?? [] }
    return incoming(base) + (incomingRelations[layout.id] ?? [])
  }

  func layout(named entity: String) -> ModelLayout? { schema.modelTypes[entity]?._$layout }

  private static func single(_ configurations: [ModelConfiguration]) throws -> ModelConfiguration {
    guard let first = configurations.first, configurations.count == 1 else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "The container has \(configurations.count) configurations; this version opens one. Leave one of them.")
    }
    return first
  }

  private static func layouts(of schema: Schema) throws -> [ModelLayout] {
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
}
