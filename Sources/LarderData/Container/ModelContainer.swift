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
// @unchecked: the core is Sendable, and the main context is the main actor's.
public class ModelContainer: Equatable, @unchecked Sendable {
  package let core: ContainerCore

  /// The models that the container was opened for.
  public var schema: Schema { core.schema }
  /// How stores of earlier versions of the models are brought up to date.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }
  /// Where the models are stored.
  public var configurations: Set<ModelConfiguration> {
    get { core.configurations }
    set { core.configurations = newValue }
  }

  @MainActor private var heldMainContext: ModelContext?

  /// The context for the main actor. It saves what is pending when the program lets the container go.
  @MainActor public var mainContext: ModelContext {
    if let heldMainContext { return heldMainContext }
    let context = core.mainContext
    heldMainContext = context
    return context
  }

  init(core: ContainerCore) { self.core = core }

  /// Opens a container for a schema.
  ///
  /// - Throws: ``SwiftDataError`` where a model or a configuration is wrong, ``StoreError`` where the store cannot be
  ///   opened; the file is then as it was.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    core = try ContainerCore(schema: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    core.setFacade(self)
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

  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }

  package var store: SQLiteStore { core.store }
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
