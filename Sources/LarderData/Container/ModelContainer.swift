import LarderSQLite

/// A store and the models in it; contexts are made from it.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)                       // on disk, at the default place
/// let inMemory = try ModelContainer(
///   for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
/// ```
///
/// A container may be used by any thread. Two containers on one file share the store.
// @unchecked: `configurations` is set once, in the initializer, and changed by nobody else; the rest is Sendable.
public class ModelContainer: Equatable, @unchecked Sendable {
  /// The models that the container was opened for.
  public let schema: Schema
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// Where the models are stored.
  public var configurations: Set<ModelConfiguration>

  package let store: SQLiteStore
  package let allowsSave: Bool
  private let layouts: Set<Int>

  /// The context for the main actor. It saves what is pending when the program lets it go.
  @MainActor public private(set) lazy var mainContext: ModelContext = {
    let context = ModelContext(self)
    context.autosaveEnabled = true
    return context
  }()

  /// Opens a container for a schema.
  ///
  /// - Throws: ``SwiftDataError`` where a model or a configuration is wrong, ``StoreError`` where the store cannot be
  ///   opened; the file is then as it was.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    schema = givenSchema
    self.migrationPlan = migrationPlan
    let given = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
    let configuration = try ModelContainer.single(given)
    try configuration.validate()
    self.configurations = Set(given)
    allowsSave = configuration.allowsSave

    let opened = try ModelContainer.layouts(of: givenSchema)
    layouts = Set(opened.map(\.id))
    var options = SQLiteStore.Options(url: configuration.url)
    options.isInMemory = configuration.isStoredInMemoryOnly
    options.isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
    StoreOptions.current.apply(to: &options)
    store = try SQLiteStore.open(options, layouts: opened)
  }

  /// Opens a container for a schema.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a container for some models.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a container for some models, with its configurations as an array.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

  package func contains(_ layout: ModelLayout) -> Bool { layouts.contains(layout.id) }

  private static func single(_ configurations: [ModelConfiguration]) throws -> ModelConfiguration {
    guard let first = configurations.first, configurations.count == 1 else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "The container has \(configurations.count) configurations; this version opens one. Leave one of them.")
    }
    return first
  }

  private static func layouts(of schema: Schema) throws -> [ModelLayout] {
    if let problem = schema.problems.first { throw SwiftDataError.loadIssueModelContainer.explained(problem) }
    return try schema.entities.map { entity in
      guard let type = schema.modelTypes[entity.name] else {
        throw SwiftDataError.loadIssueModelContainer.explained(
          "\(entity.name) has no class in this program. Make the schema from model types.")
      }
      if let problem = type._$layout.problem { throw problem }
      return type._$layout
    }
  }
}

extension ModelContainer {
  /// Removes every model of every kind from the store.
  ///
  /// - Throws: ``StoreError``; nothing is then removed.
  public func erase() throws {
    try StoreError.wrapping(store.url, "erasing the store") {
      try StoreSession(store: store).write { connection in
        for entity in schema.entities {
          try connection.execute("DELETE FROM \(StoreFormat.quoted(entity.name))")
        }
      }
    }
  }

  /// As ``erase()``; what fails is said in the log.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() {
    do { try erase() } catch { Log.warning("The store could not be erased. \(error)") }
  }
}

extension ModelContainer {
  func layout(named entity: String) -> ModelLayout? { schema.modelTypes[entity]?._$layout }
}
