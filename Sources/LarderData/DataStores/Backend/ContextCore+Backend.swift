import Foundation
import LarderSQLite

// What a context asks of data stores that are not SQLite's: before it reads, the rows in memory are brought up to date.

extension _ContextCore {
  var editingState: EditingState { EditingState(id: editingStateID, author: author) }

  /// The store behind the rows of a model, where there is one and it may be asked now.
  private func availableBackend(for layout: _ModelLayout) -> DataStoreBackend? {
    guard hasStorageBackends, !options.isInternal, container.contains(layout) else { return nil }
    let store = session(for: layout).store
    // In the midst of reading rows, or of writing them: they are as they are.
    guard let backing = store.dataStoreBackend, !store.database.isHeldByCurrentThread else { return nil }
    return backing
  }

  /// Asks the store what matches, and brings the rows in memory up to date with its answer.
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
    // What is pending may take rows out of the answer, and those after them in; and what is passed over is counted here.
    if !hasChanges, let limit = descriptor.fetchLimit, limit >= 0 {
      let (sum, isTooLarge) = limit.addingReportingOverflow(max(0, descriptor.fetchOffset ?? 0))
      asked.fetchLimit = isTooLarge ? nil : sum
    }
    return asked
  }

  /// Rows in memory that match, and that the store did not answer with, are others by now, or gone.
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

  /// Has rows in memory as the store has them by now.
  func refetch(_ identifiers: [PersistentIdentifier], _ backing: DataStoreBackend) throws {
    backendState.initializeIfNeeded(backing)
    try importSnapshots(from: backing) { absorption in
      // A store that keeps none has nothing to keep of them.
      absorption.fetchesOmittedToManys = false
      try absorption.requestSnapshots(for: identifiers)
    }
  }

  /// Has the store's rows in memory, if it has them.
  func fetchIntoCache(_ identifiers: [PersistentIdentifier], _ layout: _ModelLayout) throws {
    guard let backing = availableBackend(for: layout), !identifiers.isEmpty else { return }
    try backing.exclusively {
      backendState.initializeIfNeeded(backing)
      try importSnapshots(from: backing) {
        try $0.requestSnapshots(for: identifiers.map { canonicalIdentifier($0, layout) })
      }
    }
  }

  /// The store knows an object that a save united with a row by the row's own identifier.
  private func canonicalIdentifier(_ identifier: PersistentIdentifier, _ layout: _ModelLayout) -> PersistentIdentifier {
    guard let row = session(for: layout).store.aliases.row(of: identifier) else { return identifier }
    return PersistentIdentifier(identity: identifier.identity.entityLevelIdentity, key: row, isSaved: true)
  }

  /// How many models the store has that match; nil where they are to be counted in memory.
  func backendCount<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> Int? {
    try delegateToBackend(descriptor) {
      try $0.fetchCount(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor))
    }
  }

  /// Which models the store has that match; nil where they are to be looked for in memory.
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
    // One that was handed out before a save is none that the store knows.
    if session(for: layout).store.aliases.hasAny, descriptor.predicate?.usesIdentifiers == true { return nil }
    return try backing.exclusively {
      backendState.initializeIfNeeded(backing)
      do { return try ask(backing) } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort || error == .unsupportedFeature
      { return nil }
    }
  }

  /// Notes that all that is pending was deleted by one predicate.
  func recordBatchDeletion<T: PersistentModel>(
    of tracker: _EntityTracker, _ type: T.Type, _ predicate: Predicate<T>?, includeSubclasses: Bool
  ) {
    guard tracker.store.dataStoreBackend?.supportsBatchDeletion == true else { return }
    let rows = tracker.family.reduce(into: Set<Int64>()) { $0.formUnion($1.deletedRows) }
    backendState.batchDeletion = BatchDeletion(
      type, predicate, includeSubclasses: includeSubclasses, rows: rows, in: tracker.session)
  }

  // MARK: History

  /// Whether some store is SQLite's.
  var hasSQLiteStores: Bool { !hasStorageBackends || sessions.contains { $0.store.dataStoreBackend == nil } }

  // MARK: Taking over

  /// Saves what a store answered to the rows in memory.
  func importSnapshots(from backing: DataStoreBackend, _ body: (inout SnapshotImport) throws -> Void) throws {
    try withInternalCore { core in
      core.options.appliesDeleteRules = false
      core.options.resolvesUpserts = false
      var absorption = SnapshotImport(backing, core, editingState)
      try body(&absorption)
      try absorption.save()
    }
  }

  /// Runs the body with a context of nobody's, which asks no store and of which nobody is told.
  ///
  /// - Parameter saving: The store of a save that is under way, and its connection: what it has written is seen then.
  func withInternalCore<Result>(
    within saving: (store: SQLiteStore, connection: Connection)? = nil, _ body: (_ContextCore) throws -> Result
  ) throws -> Result {
    let core = _ContextCore(container: container, within: saving)
    core.options.isInternal = true
    // While the store is held nobody else changes its rows; and what others save elsewhere is none of its business.
    core.remoteChanges.isEnabled = false
    // Held, since what goes with it is what is related to its objects.
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
  /// Whether identifiers are part of what it says: they are part of its expression's type then.
  fileprivate var usesIdentifiers: Bool {
    String(reflecting: type(of: expression)).contains(String(describing: PersistentIdentifier.self))
  }
}
