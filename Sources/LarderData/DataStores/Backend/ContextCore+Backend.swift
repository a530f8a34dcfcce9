import Foundation
import LarderSQLite

// Requests to data stores other than SQLite stores: before a read, the cached rows are updated from the data store.

extension _ContextCore {
  var editingState: EditingState { EditingState(id: editingStateID, author: author) }

  /// Returns the data store behind an entity's cached rows, or `nil` if there is none or it may not be called now.
  private func availableBackend(for layout: _ModelLayout) -> DataStoreBackend? {
    guard hasStorageBackends, !options.isInternal, container.contains(layout) else { return nil }
    let store = session(for: layout).store
    // A thread that is reading or writing the cached rows uses them as they are.
    guard let backing = store.dataStoreBackend, !store.database.isHeldByCurrentThread else { return nil }
    return backing
  }

  /// Fetches the matching models from the data store, and updates the cached rows from the result.
  @usableFromInline
  @inline(never)
  func refreshFromBackend<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws {
    checkIsolation("A fetch")
    guard let backing = availableBackend(for: T._$layout) else { return }
    try backing.exclusively {
      backendState.initializeIfNeeded(backing)
      let asked = backendDescriptor(for: descriptor)
      let (answer, isWhole) = try FetchDelegation(backing, editingState).fetch(asked)
      try importSnapshots(from: backing) { absorption in
        absorption.addSnapshots(answer.related)
        if isWhole {
          try absorption.addCompleteModel(T._$layout, answer.found)
        } else {
          absorption.addSnapshots(answer.found)
        }
      }
      if !isWhole { try refetchUnmatched(asked, backing, Set(answer.found.map(\.identifier))) }
    }
  }

  private func backendDescriptor<T: PersistentModel>(for descriptor: FetchDescriptor<T>) -> FetchDescriptor<T> {
    var asked = FetchDescriptor(predicate: descriptor.predicate, sortBy: descriptor.sortBy)
    asked.propertiesToFetch = descriptor.propertiesToFetch
    // Pending changes may remove rows from the result, so that later rows follow up. The offset is applied to the cached rows.
    if !hasChanges, let limit = descriptor.fetchLimit, limit >= 0 {
      let (sum, isTooLarge) = limit.addingReportingOverflow(max(0, descriptor.fetchOffset ?? 0))
      asked.fetchLimit = isTooLarge ? nil : sum
    }
    return asked
  }

  /// Fetches cached rows again that match and that the data store did not return: they were changed or deleted.
  private func refetchUnmatched<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ backing: DataStoreBackend, _ answered: Set<PersistentIdentifier>
  ) throws {
    var known = answered
    while true {
      let matching = try withInternalCore { try $0.facade.fetchIdentifiers(descriptor) }
      let doubtful = matching.filter { known.insert($0).inserted }
      if doubtful.isEmpty { return }
      try importSnapshots(from: backing) { try $0.requestSnapshots(for: doubtful) }
    }
  }

  /// Updates the specified cached rows from the data store.
  func refetch(_ identifiers: [PersistentIdentifier], _ backing: DataStoreBackend) throws {
    backendState.initializeIfNeeded(backing)
    try importSnapshots(from: backing) { absorption in
      // A data store that omits a to-many relationship does not save it either.
      absorption.fetchesOmittedToManys = false
      try absorption.requestSnapshots(for: identifiers)
    }
  }

  /// Fetches the rows with the specified identifiers into the cache, if the data store has them.
  func fetchIntoCache(_ identifiers: [PersistentIdentifier], _ layout: _ModelLayout) throws {
    guard let backing = availableBackend(for: layout), !identifiers.isEmpty else { return }
    try backing.exclusively {
      backendState.initializeIfNeeded(backing)
      try importSnapshots(from: backing) {
        try $0.requestSnapshots(for: identifiers.map { canonicalIdentifier($0, layout) })
      }
    }
  }

  /// Returns the identifier that the data store knows: after an upsert, an object has the identifier of the existing row.
  private func canonicalIdentifier(_ identifier: PersistentIdentifier, _ layout: _ModelLayout) -> PersistentIdentifier {
    guard let row = session(for: layout).store.aliases.row(of: identifier) else { return identifier }
    return PersistentIdentifier(identity: identifier.identity.entityLevelIdentity, key: row, isSaved: true)
  }

  /// Returns the number of matching models in the data store, or `nil` if the cached rows have to be counted.
  func backendCount<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> Int? {
    try delegateToBackend(descriptor) {
      try $0.fetchCount(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor))
    }
  }

  /// Returns the identifiers of the matching models in the data store, or `nil` if the cached rows have to be searched.
  func backendIdentifiers<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]? {
    try delegateToBackend(descriptor) {
      try $0.fetchIdentifiers(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor))
    }
  }

  private func delegateToBackend<T: PersistentModel, Answer>(
    _ descriptor: FetchDescriptor<T>, _ ask: (DataStoreBackend) throws -> Answer
  ) throws -> Answer? {
    let layout = T._$layout
    checkIsolation("A fetch")
    try pollExternalCommits()
    mergeRemoteChangesIfNeeded()
    guard !hasChanges, let backing = availableBackend(for: layout) else { return nil }
    // The data store does not know an identifier that an object had before an upsert.
    if session(for: layout).store.aliases.hasAny, descriptor.predicate?.usesIdentifiers == true { return nil }
    return try backing.exclusively {
      backendState.initializeIfNeeded(backing)
      do { return try ask(backing) } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort || error == .unsupportedFeature
      { return nil }
    }
  }

  /// Records that one deletion by predicate is the only pending change.
  func recordBatchDeletion<T: PersistentModel>(
    of tracker: _EntityTracker, _ type: T.Type, _ predicate: Predicate<T>?, includeSubclasses: Bool
  ) {
    guard tracker.store.dataStoreBackend?.supportsBatchDeletion == true else { return }
    let rows = tracker.family.reduce(into: Set<Int64>()) { $0.formUnion($1.deletedRows) }
    backendState.batchDeletion = BatchDeletion(
      type, predicate, includeSubclasses: includeSubclasses, rows: rows, in: tracker.session)
  }

  // MARK: History

  /// Whether at least one store is an SQLite store.
  var hasSQLiteStores: Bool { !hasStorageBackends || sessions.contains { $0.store.dataStoreBackend == nil } }

  // MARK: Import

  /// Saves a data store's results to the cached rows.
  func importSnapshots(from backing: DataStoreBackend, _ body: (inout SnapshotImport) throws -> Void) throws {
    try withInternalCore { core in
      core.options.appliesDeleteRules = false
      core.options.resolvesUpserts = false
      var absorption = SnapshotImport(backing, core, editingState)
      try body(&absorption)
      try absorption.save()
    }
  }

  /// Runs the body with an internal context, which fetches from no data store and notifies no observers.
  ///
  /// - Parameter saving: The store and the connection of a save in progress, so that the context reads the rows it has written.
  func withInternalCore<Result>(
    within saving: (store: SQLiteStore, connection: Connection)? = nil, _ body: (_ContextCore) throws -> Result
  ) throws -> Result {
    let core = _ContextCore(container: container, within: saving)
    core.options.isInternal = true
    // While the data store is locked, no other context changes its rows. Commits in other stores do not matter.
    core.remoteChanges.isEnabled = false
    // Retained, because releasing it releases the related objects.
    let context = core.facade
    return try withExtendedLifetime(context) {
      defer {
        core.pendingError = nil
        core.rollback()
      }
      return try body(core)
    }
  }
}

extension Predicate {
  /// Whether the predicate contains identifiers. Its expression's type names their type then.
  fileprivate var usesIdentifiers: Bool {
    String(reflecting: type(of: expression)).contains(String(describing: PersistentIdentifier.self))
  }
}
