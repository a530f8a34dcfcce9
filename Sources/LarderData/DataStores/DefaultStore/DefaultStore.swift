import LarderSQLite

/// The data store of a ``ModelConfiguration``: an SQLite store in a file or in memory.
///
/// A container with such a configuration reads and writes the file's rows directly, with the same results as through the
/// requests of a ``DataStore``. Create the store yourself to wrap it in a data store of your own:
///
/// ```swift
/// let store = try DefaultStore(ModelConfiguration(schema: Schema([Trip.self])))
/// ```
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
  public typealias Configuration = ModelConfiguration
  public typealias Snapshot = DefaultSnapshot
  public typealias HistoryType = DefaultHistoryTransaction
  public typealias TokenType = DefaultHistoryToken

  /// The configuration's name.
  public let name: String
  public let schema: Schema
  public let configuration: ModelConfiguration
  public var identifier: String { core.stores[0].store.identifier }

  /// A private container for the file.
  let core: ContainerCore

  private init(_ core: ContainerCore, _ configuration: ModelConfiguration) {
    self.core = core
    self.configuration = configuration
    name = configuration.name
    schema = core.schema
  }

  /// Opens the store, as a container does.
  ///
  /// - Parameters:
  ///   - configuration: The configuration, including a schema.
  ///   - migrationPlan: The plan for stores of earlier schema versions.
  /// - Throws: ``SwiftDataError/unknownDataStoreSchema`` if the configuration has no schema; other errors of
  ///   ``SwiftDataError``, and ``StoreError``.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.unknownDataStoreSchema.explained(
        "The configuration \"\(configuration.name)\" has no schema, and a store by itself has no container to ask for one. "
          + "Give it one by schema:.")
    }
    try self.init(
      configuration, schema,
      MigrationConfiguration(
        version: schema.version, isVersioned: schema.isVersioned, plan: migrationPlan, options: .init()))
  }

  /// Opens the store on behalf of a container.
  convenience init(_ configuration: ModelConfiguration, _ schema: Schema, _ models: MigrationConfiguration) throws {
    var options = StoreOptions.current
    options.usesDataStores = false
    let core = try StoreOptions.$current.withValue(options) {
      try ContainerCore(
        schema: schema, migrationPlan: models.plan, configurations: [configuration], migration: models.options)
    }
    self.init(core, configuration)
  }

  /// Returns a row ID of the file. An object has this row ID from its insert on.
  func nextIdentifier() -> Int64 { core.stores[0].store.nextIdentifier() }

  /// Runs the body with a context that no other code uses.
  func withContext<Result>(_ state: EditingState, _ body: (_ContextCore) throws -> Result) throws -> Result {
    let core = _ContextCore(container: core)
    return try core.withInternalCore { core in
      core.author = state.author
      return try body(core)
    }
  }

  // MARK: Fetching

  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    try withContext(request.editingState) { core in
      let models = try core.facade.fetch(request.descriptor)
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: models.map(DefaultSnapshot.init))
    }
  }

  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try withContext(request.editingState) { try $0.facade.fetchCount(request.descriptor) }
  }

  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    try withContext(request.editingState) { try $0.facade.fetchIdentifiers(request.descriptor) }
  }

  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try withContext(editingState) { core in
      let found = try core.loadModels(persistentIdentifiers).map { ($0.persistentModelID, DefaultSnapshot($0)) }
      return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }
  }

  // MARK: Saving

  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try withContext(request.editingState) { core in
      // The saving context has applied the delete rules.
      core.options.appliesDeleteRules = false
      var application = SnapshotApplication(
        core, (request.inserted + request.updated).map(\.values),
        creating: Set(request.inserted.map(\.persistentIdentifier)))
      try application.apply()
      // Deletions come after the updates that move related objects away from the deleted ones.
      for model in try core.loadModels(request.deleted.map(\.persistentIdentifier)) { core.delete(model) }
      try core.save()
      var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        guard let model = application.models[snapshot.persistentIdentifier] else { continue }
        let identifier = model.persistentModelID
        if identifier != snapshot.persistentIdentifier { remapped[snapshot.persistentIdentifier] = identifier }
      }
      return DataStoreSaveChangesResult(
        for: identifier, remappedIdentifiers: remapped, historyToken: core.savedTokens[identifier])
    }
  }

  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    try withContext(request.editingState) { core in
      try core.facade.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
      try core.save()
    }
  }

  public func erase() throws { try core.stores[0].eraseAllRows() }

  // MARK: History

  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try withContext(EditingState()) { try $0.facade.fetchHistory(descriptor) }
  }

  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try withContext(EditingState()) { try $0.facade.deleteHistory(descriptor) }
  }
}

extension DefaultSnapshot {
  fileprivate init(_ model: any PersistentModel) {
    func data<Model: PersistentModel>(_ model: Model) -> any BackingData { model._$backingData() }
    self.init(SnapshotValues(data(model)))
  }
}

extension _ContextCore {
  /// Returns the models with the specified identifiers whose rows exist.
  fileprivate func loadModels(_ identifiers: [PersistentIdentifier]) throws -> [any PersistentModel] {
    try Dictionary(grouping: identifiers, by: { $0.identity.root.entity }).flatMap { name, group in
      guard let layout = container.layout(named: name) else { return [any PersistentModel]() }
      let state = try tracker(for: layout)
      return try state.loadRows(group.compactMap { row(of: $0, in: state) })
    }
  }
}
