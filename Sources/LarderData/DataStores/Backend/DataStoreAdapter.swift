import Foundation

/// A data store of a concrete type.
// @unchecked: as its superclass; only the holder of the lock calls the data store.
final class DataStoreAdapter<Store: DataStore>: DataStoreBackend, @unchecked Sendable {
  let store: Store

  init(_ store: Store, schema: Schema) {
    self.store = store
    super.init(identifier: store.identifier, schema: schema)
  }

  override var sqliteStore: SQLiteStore? { (store as? DefaultStore)?.core.stores[0].store }
  override func nextIdentifier() -> Int64? { (store as? DefaultStore)?.nextIdentifier() }

  override func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> BackendFetchResult {
    let result = try store.fetch(request)
    return BackendFetchResult(
      found: try result.fetchedSnapshots.map(snapshotValues),
      related: try result.relatedSnapshots.values.map(snapshotValues))
  }

  private func snapshotValues(of snapshot: Store.Snapshot) throws -> SnapshotValues {
    let identifier = snapshot.persistentIdentifier
    guard identifier.identity.store == self.identifier,
      let layout = schema.modelTypes[identifier.entityName]?._$layout
    else {
      throw SwiftDataError.unknownDataStoreSchema.explained(
        "The data store \(self.identifier) answered with \(identifier.debugDescription) of the store "
          + "\(identifier.identity.store ?? "nil"), which is none of its models. Make identifiers by "
          + "PersistentIdentifier.identifier(for: identifier, entityName:primaryKey:), with models of the store's schema."
      )
    }
    return try SnapshotValues.decode(snapshot, as: layout)
  }

  override func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try store.fetchCount(request)
  }

  override func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try store.fetchIdentifiers(request) }

  override func cachedSnapshots(_ identifiers: [PersistentIdentifier], _ state: EditingState) throws -> [SnapshotValues]
  {
    try store.cachedSnapshots(for: identifiers, editingState: state).values.map(snapshotValues)
  }

  override func beginSaving(_ state: EditingState) -> BackendSaveRequest { SaveRequest(self, state) }
  override func erase() throws { try store.erase() }
  override func initializeState(_ state: EditingState) { store.initializeState(for: state) }
  override func invalidateState(_ state: EditingState) { store.invalidateState(for: state) }

  override var supportsBatchDeletion: Bool { store is any DataStoreBatching }

  override func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try (store as? any DataStoreBatching)?.delete(request)
  }

  override var hasHistory: Bool { store is any HistoryProviding }

  override var hasDefaultHistory: Bool {
    func isDefault<Provider: HistoryProviding>(_ provider: Provider) -> Bool {
      Provider.HistoryType.self == DefaultHistoryTransaction.self
    }
    return (store as? any HistoryProviding).map { isDefault($0) } ?? false
  }

  override func historyToken() throws -> DefaultHistoryToken? {
    if let own = store as? DefaultStore { return try own.currentHistoryToken() }
    guard hasDefaultHistory else { return nil }
    // A wrapped SQLite store reports its newest transaction while the data store is queried.
    let question = HistoryQueryScope()
    var newest = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: nil, sortBy: [SortDescriptor(\.token, order: .reverse)])
    newest.fetchLimit = 1
    let request = newest
    let found = try question.perform { try fetchHistory(request) }
    return question.ends.isEmpty ? found?.first?.token : DefaultHistoryToken(question.ends)
  }

  override func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    func open<Provider: HistoryProviding>(_ provider: Provider) throws -> [T]? {
      guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
      return try provider.fetchHistory(descriptor) as? [T]
    }
    return try (store as? any HistoryProviding).flatMap { try open($0) }
  }

  override func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    func open<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
      guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
      try provider.deleteHistory(descriptor)
      return true
    }
    return try (store as? any HistoryProviding).map { try open($0) } ?? false
  }

  /// A save with the data store's own snapshot type.
  private final class SaveRequest: BackendSaveRequest {
    private let adapter: DataStoreAdapter
    private let state: EditingState
    private var inserted: [any PersistentModel] = []
    private var updated: [any PersistentModel] = []
    private var deleted: [Store.Snapshot] = []

    init(_ backing: DataStoreAdapter, _ state: EditingState) {
      self.adapter = backing
      self.state = state
    }

    override var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    override func insert(_ models: [any PersistentModel]) { inserted += models }
    override func update(_ models: [any PersistentModel]) { updated += models }
    override func delete(_ models: [any PersistentModel]) { deleted += snapshots([models])[0] }

    private func snapshots(_ lists: [[any PersistentModel]]) -> [[Store.Snapshot]] {
      let data = lists.map { $0.map { ($0.persistentModelID, $0.erasedBackingData) } }
      var related = Dictionary(data.joined(), uniquingKeysWith: { first, _ in first })
      return data.map { $0.map { Store.Snapshot(from: $0.1, relatedBackingDatas: &related) } }
    }

    override func save() throws -> BackendSaveResult {
      let changed = BackendSaveRequest.withTemporaryIdentifiers(inserted) { snapshots([inserted, updated]) }
      let result = try adapter.store.save(
        DataStoreSaveChangesRequest(inserted: changed[0], updated: changed[1], deleted: deleted, editingState: state))
      return BackendSaveResult(
        remapped: result.remappedIdentifiers,
        reregistered: snapshotValues(toReregister: result.snapshotsToReregister.values),
        historyToken: result.historyToken)
    }

    /// Returns the readable snapshots. Unreadable ones are left out: the data store has saved, and the save must not be repeated.
    private func snapshotValues(toReregister snapshots: some Sequence<Store.Snapshot>) -> [SnapshotValues] {
      snapshots.compactMap { snapshot in
        do {
          return try adapter.snapshotValues(of: snapshot)
        } catch {
          Log.warning("What the data store \(adapter.identifier) has made of a save cannot be read. \(error)")
          return nil
        }
      }
    }
  }
}

extension PersistentModel {
  var erasedBackingData: any BackingData { _$backingData() }
}
