import LarderSQLite

// Beyond Apple's API.

extension ModelContext {
  /// How far the history of the container's stores is by now: what to begin with, before the stores are read as they are.
  ///
  /// ```swift
  /// var token = try context.currentHistoryToken()
  /// for trip in try context.fetch(FetchDescriptor<Trip>()) { index.add(trip) }
  /// ```
  ///
  /// There is one whatever is left of the history, also before the first transaction. What the context fetches afterwards is
  /// at least as new. It is equal to the token of the last transaction, and greater than all before. Where there are several
  /// stores, it stands for the last of each.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` where no store has the history of one of SQLite; ``StoreError``.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    DefaultHistoryToken(try core.historyEnds())
  }
}

extension DefaultStore {
  /// How far the store's history is by now, as ``ModelContext/currentHistoryToken()``: for a store that is written around it.
  ///
  /// - Throws: ``StoreError``.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    try withContext(EditingState()) { DefaultHistoryToken(try $0.historyEnds()) }
  }
}

extension _ContextCore {
  /// The number of the last transaction that there was, by the stores.
  fileprivate func historyEnds() throws -> [String: Int64] {
    var ends: [String: Int64] = [:]
    for session in sessions {
      if let backing = session.store.dataStoreBackend {
        guard let token = try backing.exclusively({ try backing.historyToken() }) else { continue }
        ends.merge(token.numbers) { max($0, $1) }
        continue
      }
      // Also of another process: a snapshot may be some milliseconds older.
      session.releaseSnapshot()
      ends[session.store.identifier] = try StoreError.mapErrors(session.store.errorURL, "reading the history") {
        try session.read { try HistoryReader(store: session.store, container: container, connection: $0).lastNumber() }
      }
    }
    if ends.isEmpty { throw DataStoreError.unsupportedFeature }
    return ends
  }
}
