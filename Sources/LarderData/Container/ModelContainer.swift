import Foundation

/// A store and the models in it, or a store for each of several configurations; contexts are made from it.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)                       // on disk, at the default place
/// let inMemory = try ModelContainer(
///   for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
/// ```
///
/// With several configurations each model lies in the store of the one that names it, and the rest in that of the one that
/// has no schema:
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, Draft.self,
///   configurations: ModelConfiguration("Trips", schema: Schema([Trip.self])),
///   ModelConfiguration("Drafts", schema: Schema([Draft.self]), isStoredInMemoryOnly: true))
/// ```
///
/// A context works on all of them, and what one store refuses is saved in none. Models that are related lie in one store.
///
/// A container may be used by any thread. Two containers on one file share the store.
// @unchecked: the core is Sendable, and the main context is the main actor's.
public class ModelContainer: Equatable, @unchecked Sendable {
  package let core: ContainerCore

  /// The models that the container was opened for.
  public var schema: Schema { core.schema }
  /// The plan by which stores of earlier versions were brought to these models when the container opened.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }
  /// Where the models are stored. Setting it changes what is told, not where the open store lies.
  public var configurations: Set<ModelConfiguration> {
    get { core.configurations }
    set { core.configurations = newValue }
  }

  @MainActor private var retainedMainContext: ModelContext?

  /// The context for the main actor. It saves what is pending when the program lets the container go.
  @MainActor public var mainContext: ModelContext {
    if let retainedMainContext { return retainedMainContext }
    let context = core.mainContext
    retainedMainContext = context
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

  /// Opens a container for a schema, with stores of any kind; see ``DataStore``.
  ///
  /// - Throws: ``SwiftDataError`` where a model or a configuration is wrong, ``StoreError`` where a store cannot be opened, and
  ///   what the stores' own initializers throw.
  public init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    core = try ContainerCore(schema: givenSchema, migrationPlan: nil, configurations: configurations)
    core.setFacade(self)
  }

  /// Opens a container for some models, with stores of any kind; see ``DataStore``.
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws { try self.init(for: Schema(forTypes), configurations: configurations) }

  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }

  /// The first of its stores; the rows in memory of one that is not SQLite's.
  package var store: SQLiteStore { core.stores[0].sqlite ?? core.stores[0].store }
}

extension ModelContainer {
  /// The identity of the store that a configuration leads to; nil for a name that none of the container's has.
  ///
  /// It is the ``PersistentIdentifier/storeIdentifier`` of the models in it.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.name == name }?.store.identifier
  }

  /// The name of the configuration that leads to a store; nil for a store that is none of the container's.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.store.identifier == identifier }?.name
  }

  /// Removes every model of every kind from the stores. Objects of contexts leave them, as those do that another context
  /// deletes.
  ///
  /// - Throws: ``StoreError``; the store that it names, and those of later configurations, have then lost nothing.
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

  /// As ``erase()``; what fails is said in the log.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() {
    do { try erase() } catch { Log.warning("The store could not be erased. \(error)") }
  }
}
