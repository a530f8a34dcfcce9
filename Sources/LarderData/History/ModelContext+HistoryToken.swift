import LarderSQLite

// Larder's own API.

extension ModelContext {
  /// Returns the token of the last transaction in the container's stores. Read it before the current contents of the stores, and
  /// fetch the history after it later.
  ///
  /// ```swift
  /// var token = try context.currentHistoryToken()
  /// for trip in try context.fetch(FetchDescriptor<Trip>()) { index.add(trip) }
  /// ```
  ///
  /// The token exists also before the first transaction, and after transactions were deleted. Models that the context fetches
  /// afterwards are at least as new. The token is equal to that of the last transaction, and greater than all earlier ones. With
  /// several stores, it stands for the last transaction of each.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if no store has the history of an SQLite store; ``StoreError``.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    DefaultHistoryToken(try core.historyEnds())
  }
}

extension DefaultStore {
  /// Returns the token of the store's last transaction, like ``ModelContext/currentHistoryToken()``. Call it in a data store that
  /// wraps this store.
  ///
  /// - Throws: ``StoreError``.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    try withContext(EditingState()) { DefaultHistoryToken(try $0.historyEnds()) }
  }
}

extension _ContextCore {
  /// Returns the number of each store's last transaction, including deleted ones.
  fileprivate func historyEnds() throws -> [String: Int64] {
    var ends: [String: Int64] = [:]
    for session in sessions {
      if let backing = session.store.dataStoreBackend {
        guard let token = try backing.exclusively({ try backing.historyToken() }) else { continue }
        ends.merge(token.numbers) { max($0, $1) }
        continue
      }
      // Reads up to the last commit, also of another process: a snapshot may be some milliseconds older.
      session.releaseSnapshot()
      ends[session.store.identifier] = try StoreError.mapErrors(session.store.errorURL, "reading the history") {
        try session.read { try HistoryReader(store: session.store, container: container, connection: $0).lastNumber() }
      }
    }
    if ends.isEmpty { throw DataStoreError.unsupportedFeature }
    return ends
  }
}
