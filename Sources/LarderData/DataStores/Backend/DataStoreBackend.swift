import LarderSQLite
import LarderSupport

/// A container's data store of any type, behind the in-memory rows that contexts work on.
///
/// Contexts read and write SQLite rows only. For a custom data store these rows are a cache in memory, with the models fetched
/// so far. A fetch first requests the models from the data store and updates the cached rows from the result, as if another
/// context had saved them. A save passes its changes to the data store inside the transaction that writes the rows, so that
/// either both have the changes, or neither.
// @unchecked: the program defines the data store, and only the holder of `lock` calls it.
class DataStoreBackend: StorageBackend, @unchecked Sendable {
  /// A lock that is held during a call of the data store, and until the cached rows are updated from its result.
  private let lock = OwnedLock()
  let identifier: String
  let schema: Schema
  /// The identities of the cached rows. They keep the row IDs that stand for the data store's own keys.
  private let surrogateIdentities = Locked<[Int64: EntityIdentity]>([:])

  /// The number of uses of the data store. Only the holder of `lock` reads and changes it.
  private(set) var useCount = 0

  /// Ten minutes, since a data store may be remote.
  static let requestTimeout = Duration.seconds(600)

  init(identifier: String, schema: Schema) {
    self.identifier = identifier
    self.schema = schema
  }

  func prepare(_ layouts: [_ModelLayout], on connection: Connection) throws {
    try RelatedRowTracker.createTriggers(on: connection, layouts)
  }

  /// Runs the body while no other caller uses the data store.
  ///
  /// - Throws: ``StoreError`` with the code `busy` after ``requestTimeout``, and the errors of the body.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    if lock.isHeldByCurrentThread { return try body() }
    guard lock.enter(timeout: DataStoreBackend.requestTimeout) else {
      throw StoreError(
        .busy, nil,
        "The data store \(identifier) did not answer within \(DataStoreBackend.requestTimeout). Try again later.")
    }
    defer { lock.leave() }
    useCount += 1
    return try SnapshotModelRegistry.$currentSchema.withValue(schema) { try body() }
  }

  /// Retains the identities of cached rows whose row IDs stand for the data store's own keys.
  func retainIdentities(of identifiers: some Sequence<PersistentIdentifier>) {
    surrogateIdentities.withLock { names in
      for one in identifiers where one.identity.surrogateKey != nil { names[one.key] = one.identity }
    }
  }

  /// Releases the identities of deleted rows.
  func releaseIdentities(of rows: some Sequence<Int64>) {
    let gone = surrogateIdentities.withLock { names in rows.compactMap { names.removeValue(forKey: $0) } }
    withExtendedLifetime(gone) {}
  }

  func invalidateRows() {
    let gone = surrogateIdentities.withLock { names in
      defer { names = [:] }
      return names
    }
    withExtendedLifetime(gone) {}
  }

  /// Creates the data store of a configuration.
  ///
  /// - Throws: The errors of the data store's initializer.
  static func open(
    _ configuration: any DataStoreConfiguration, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> DataStoreBackend {
    func open<Configuration: DataStoreConfiguration>(_ configuration: Configuration) throws -> DataStoreBackend {
      var configuration = configuration
      if configuration.schema == nil { configuration.schema = schema }
      return DataStoreAdapter(try Configuration.Store(configuration, migrationPlan: plan), schema: schema)
    }
    return try open(configuration)
  }

  // MARK: Requests to the data store

  /// The SQLite store behind the cached rows, or `nil` if there is none. Only the data store's requests use it.
  var sqliteStore: SQLiteStore? { nil }

  /// Returns a row ID for a new object, or `nil` if any temporary one will do until the data store has saved the object.
  func nextIdentifier() -> Int64? { nil }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> BackendFetchResult {
    BackendFetchResult()
  }
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int { 0 }
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] { [] }
  func cachedSnapshots(_ identifiers: [PersistentIdentifier], _ state: EditingState) throws -> [SnapshotValues] { [] }
  func beginSaving(_ state: EditingState) -> BackendSaveRequest { BackendSaveRequest() }
  func erase() throws {}
  func initializeState(_ state: EditingState) {}
  func invalidateState(_ state: EditingState) {}

  /// Whether the data store can delete the models that match a predicate by itself.
  var supportsBatchDeletion: Bool { false }
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {}

  /// Whether the data store has a history.
  var hasHistory: Bool { false }
  /// Whether its transactions are those of an SQLite store, either its own or one that it wraps.
  var hasDefaultHistory: Bool { false }
  /// Returns the token of the newest transaction, or `nil` if the history is not that of an SQLite store.
  func historyToken() throws -> DefaultHistoryToken? { nil }
  /// Returns the transactions of a type, or `nil` if the data store has none of this type.
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? { nil }
  /// Deletes the transactions that match a descriptor.
  ///
  /// - Returns: Whether the data store has transactions of this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool { false }
}

extension SQLiteStore {
  /// The data store behind the cached rows, or `nil` if the rows are the store themselves.
  var dataStoreBackend: DataStoreBackend? { backend as? DataStoreBackend }
}
