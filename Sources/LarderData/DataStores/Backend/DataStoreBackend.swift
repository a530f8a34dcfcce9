import LarderSQLite
import LarderSupport

/// A data store of a container, whatever its type, behind the rows in memory that contexts work on.
///
/// Contexts know rows in SQLite and nothing else. For a store of another kind these are in memory, and hold what was fetched
/// so far: a fetch first asks the store and brings the rows up to date with the answer, as if another context had saved it;
/// a save hands the store what it writes, inside the transaction that writes it, so that both have it or neither.
// @unchecked: the store is the program's own, and is called by whoever holds `lock` only.
class DataStoreBackend: StorageBackend, @unchecked Sendable {
  /// Held while the store is called, and until the rows are what it answered.
  private let lock = OwnedLock()
  let identifier: String
  let schema: Schema
  /// The names of the rows in memory, which hold the numbers that stand for them.
  private let surrogateIdentities = Locked<[Int64: EntityIdentity]>([:])

  /// How often the store was used; changed, and read, by whoever holds `lock`.
  private(set) var useCount = 0

  /// Ten minutes: a store may be far away.
  static let requestTimeout = Duration.seconds(600)

  init(identifier: String, schema: Schema) {
    self.identifier = identifier
    self.schema = schema
  }

  func prepare(_ layouts: [_ModelLayout], on connection: Connection) throws {
    try RelatedRowTracker.createTriggers(on: connection, layouts)
  }

  /// Runs the body while nobody else calls the store.
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

  func retainIdentities(of identifiers: some Sequence<PersistentIdentifier>) {
    surrogateIdentities.withLock { names in
      for one in identifiers where one.identity.surrogateKey != nil { names[one.key] = one.identity }
    }
  }

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

  /// Makes the store that a configuration leads to.
  ///
  /// - Throws: What the store's initializer throws.
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

  // MARK: What the store does

  /// The SQLite store behind the rows, where there is one: it is used by its requests alone.
  var sqliteStore: SQLiteStore? { nil }

  /// A number for a new object; nil where any will do, until the store has saved it.
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

  /// Whether the store deletes what matches a predicate by itself.
  var supportsBatchDeletion: Bool { false }
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {}

  /// Whether the store keeps a history.
  var hasHistory: Bool { false }
  /// Whether its transactions are those of a store of SQLite, which it is, or is made around.
  var hasDefaultHistory: Bool { false }
  /// How far the history is by now; nil where it is not SQLite's.
  func historyToken() throws -> DefaultHistoryToken? { nil }
  /// The transactions of a type; nil where the store has none of it.
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? { nil }
  /// - Returns: Whether the store has transactions of the type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool { false }
}

extension SQLiteStore {
  /// The data store whose rows these are, where they are not the store themselves.
  var dataStoreBackend: DataStoreBackend? { backend as? DataStoreBackend }
}
