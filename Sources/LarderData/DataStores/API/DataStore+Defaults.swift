import LarderSupport

extension DataStore {
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    // The context counts the result of `fetch`, which may contain more models than requested.
    throw DataStoreError.preferInMemoryFilter
  }

  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { throw DataStoreError.preferInMemoryFilter }

  public func initializeState(for editingState: EditingState) {}
  public func invalidateState(for editingState: EditingState) {}

  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }

  public func erase() throws {
    let state = EditingState()
    var found: [PersistentIdentifier: Snapshot] = [:]
    for type in schema.entities.compactMap({ schema.modelTypes[$0.name] }) {
      for snapshot in try snapshots(of: type, state) { found[snapshot.persistentIdentifier] = snapshot }
    }
    if found.isEmpty { return }
    let deleted = found.values.inOrder { $0.persistentIdentifier < $1.persistentIdentifier }
    _ = try save(DataStoreSaveChangesRequest(inserted: [], updated: [], deleted: deleted, editingState: state))
  }

  private func snapshots<T: PersistentModel>(of type: T.Type, _ state: EditingState) throws -> [Snapshot] {
    try fetch(DataStoreFetchRequest(editingState: state, descriptor: FetchDescriptor<T>())).fetchedSnapshots
  }
}
