import Foundation

/// A store and its models, or one store for each of several configurations, from which contexts are created.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)                       // on disk, at the default place
/// let inMemory = try ModelContainer(
///   for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
/// ```
///
/// With several configurations, each model is in the store of the configuration that names it; the other models are in the
/// store of the configuration without a schema:
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, Draft.self,
///   configurations: ModelConfiguration("Trips", schema: Schema([Trip.self])),
///   ModelConfiguration("Drafts", schema: Schema([Draft.self]), isStoredInMemoryOnly: true))
/// ```
///
/// A context works on all stores, and a save that one store refuses is written to none. Related models are in one store.
///
/// Any thread may use a container. Two containers on one file share the store.
// @unchecked: the core is Sendable, and the main context is isolated to the main actor.
public class ModelContainer: Equatable, @unchecked Sendable {
  package let core: ContainerCore

  /// The schema for which the container was opened.
  public var schema: Schema { core.schema }
  /// The plan by which stores of earlier versions were migrated when the container opened.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }
  /// The configurations of the stores. Setting the property changes only its value, not the location of an open store.
  public var configurations: Set<ModelConfiguration> {
    get { core.configurations }
    set { core.configurations = newValue }
  }

  @MainActor private var retainedMainContext: ModelContext?

  /// The context for the main actor. It saves pending changes when the program releases the container.
  @MainActor public var mainContext: ModelContext {
    if let retainedMainContext { return retainedMainContext }
    let context = core.mainContext
    retainedMainContext = context
    return context
  }

  init(core: ContainerCore) { self.core = core }

  /// Opens a container for a schema.
  ///
  /// - Parameters:
  ///   - givenSchema: The models of the container.
  ///   - migrationPlan: The plan by which stores of earlier versions are migrated.
  ///   - configurations: The configurations of the stores; if empty, one default store on disk.
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if the store cannot be opened; the
  ///   file is then unchanged.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    core = try ContainerCore(schema: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    core.setFacade(self)
  }

  /// Opens a container for a schema.
  ///
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if the store cannot be opened.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a container for the specified model classes.
  ///
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if the store cannot be opened.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a container for the specified model classes, with the configurations as an array.
  ///
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if the store cannot be opened.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a container for a schema, with stores of any kind; see ``DataStore``.
  ///
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if a store cannot be opened, and
  ///   the errors of the stores' own initializers.
  public init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    core = try ContainerCore(schema: givenSchema, migrationPlan: nil, configurations: configurations)
    core.setFacade(self)
  }

  /// Opens a container for the specified model classes, with stores of any kind; see ``DataStore``.
  ///
  /// - Throws: ``SwiftDataError`` if a model or a configuration is invalid, ``StoreError`` if a store cannot be opened, and
  ///   the errors of the stores' own initializers.
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws { try self.init(for: Schema(forTypes), configurations: configurations) }

  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }

  /// The first of the stores; the cached rows for a data store of another kind.
  package var store: SQLiteStore { core.stores[0].sqlite ?? core.stores[0].store }
}

extension ModelContainer {
  /// Returns the identifier of a configuration's store; `nil` if the container has no configuration with the name.
  ///
  /// It is the ``PersistentIdentifier/storeIdentifier`` of the models in the store.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.name == name }?.store.identifier
  }

  /// Returns the name of a store's configuration; `nil` if the container has no such store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.store.identifier == identifier }?.name
  }

  /// Deletes all models from the stores. The objects leave their contexts, as after a deletion by another context.
  ///
  /// - Throws: ``StoreError``; the store that it names, and the stores of later configurations, are then unchanged.
  public func erase() throws {
    if let fixed = core.stores.first(where: { !$0.allowsSave }) {
      throw StoreError(
        .readOnly, fixed.store.url,
        "The container was opened with allowsSave: false, and its store cannot be erased. Open it for saving.")
    }
    var isErased = false
    defer {
      if isErased {
        NotificationCenter.default.post(
          name: ModelContext.didSave, object: nil,
          userInfo: [ModelContext.NotificationKey.invalidatedAllIdentifiers.rawValue: true])
      }
    }
    for one in core.stores {
      try one.eraseAllRows()
      isErased = true
    }
  }

  /// Deletes all models, as ``erase()`` does, and logs an error.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() {
    do { try erase() } catch { Log.warning("The store could not be erased. \(error)") }
  }
}
