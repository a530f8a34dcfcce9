import Foundation
import LarderSQLite

// What a context asks of data stores that are not SQLite's: before it reads, the rows in memory are brought up to date.

extension ContextCore {
  var editing: EditingState { EditingState(id: editingStateID, author: author) }

  /// The store behind the rows of a model, where there is one and it may be asked now.
  private func askable(_ layout: ModelLayout) -> StoreBacking? {
    guard asksStores, !mode.isInternal, container.contains(layout) else { return nil }
    let store = session(for: layout).store
    // In the midst of reading rows, or of writing them: they are as they are.
    guard let backing = store.backing, !store.database.isMine else { return nil }
    return backing
  }

  /// Asks the store what matches, and brings the rows in memory up to date with its answer.
  @usableFromInline
  @inline(never)
  func bringUpToDate<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws {
    checkOwner("A fetch")
    guard let backing = askable(T._$layout) else { return }
    try backing.exclusively {
      backed.begin(backing)
      let asked = asked(descriptor)
      let (answer, isWhole) = try Asking(backing, editing).fetch(asked)
      try absorb(from: backing) { absorption in
        absorption.take(answer.related)
        if isWhole { try absorption.takeWhole(T._$layout, answer.found) } else { absorption.take(answer.found) }
      }
      if !isWhole { try askAgain(asked, backing, Set(answer.found.map(\.identifier))) }
    }
  }

  private func asked<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) -> FetchDescriptor<T> {
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
  private func askAgain<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ backing: StoreBacking, _ answered: Set<PersistentIdentifier>
  ) throws {
    var known = answered
    while true {
      let matching = try withInternalCore { try $0.facade.fetchIdentifiers(descriptor) }
      let doubtful = matching.filter { known.insert($0).inserted }
      if doubtful.isEmpty { return }
      try absorb(from: backing) { try $0.ask(for: doubtful) }
    }
  }

  /// Has rows in memory as the store has them by now.
  func askAgain(_ identifiers: [PersistentIdentifier], _ backing: StoreBacking) throws {
    backed.begin(backing)
    try absorb(from: backing) { absorption in
      // A store that keeps none has nothing to keep of them.
      absorption.asksForLists = false
      try absorption.ask(for: identifiers)
    }
  }

  /// Has the store's rows in memory, if it has them.
  func bring(_ identifiers: [PersistentIdentifier], _ layout: ModelLayout) throws {
    guard let backing = askable(layout), !identifiers.isEmpty else { return }
    try backing.exclusively {
      backed.begin(backing)
      try absorb(from: backing) { try $0.ask(for: identifiers.map { named($0, layout) }) }
    }
  }

  /// The store knows an object that a save united with a row by the row's own identifier.
  private func named(_ identifier: PersistentIdentifier, _ layout: ModelLayout) -> PersistentIdentifier {
    guard let row = session(for: layout).store.aliases.row(of: identifier) else { return identifier }
    return PersistentIdentifier(identity: identifier.identity.ofEntity, key: row, isSaved: true)
  }

  /// How many models the store has that match; nil where they are to be counted in memory.
  func countByStore<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int? {
    try answerByStore(descriptor) {
      try $0.fetchCount(DataStoreFetchRequest(editingState: editing, descriptor: descriptor))
    }
  }

  /// Which models the store has that match; nil where they are to be looked for in memory.
  func identifiersByStore<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]? {
    try answerByStore(descriptor) {
      try $0.fetchIdentifiers(DataStoreFetchRequest(editingState: editing, descriptor: descriptor))
    }
  }

  private func answerByStore<T: PersistentModel, Answer>(
    _ descriptor: FetchDescriptor<T>, _ ask: (StoreBacking) throws -> Answer
  ) throws -> Answer? {
    let layout = T._$layout
    checkOwner("A fetch")
    try lookForOthers()
    catchUp()
    guard !hasChanges, let backing = askable(layout) else { return nil }
    // One that was handed out before a save is none that the store knows.
    if session(for: layout).store.aliases.hasAny, descriptor.predicate?.namesIdentifiers == true { return nil }
    return try backing.exclusively {
      backed.begin(backing)
      do { return try ask(backing) } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort || error == .unsupportedFeature
      { return nil }
    }
  }

  /// Notes that all that is pending was deleted by one predicate.
  func noteBatch<T: PersistentModel>(
    of state: EntityState, _ type: T.Type, _ predicate: Predicate<T>?, includeSubclasses: Bool
  ) {
    guard state.store.backing?.deletesBatches == true else { return }
    let rows = state.family.reduce(into: Set<Int64>()) { $0.formUnion($1.deletedRows) }
    backed.batch = BatchDeletion(
      type, predicate, includeSubclasses: includeSubclasses, rows: rows, in: state.session)
  }

  // MARK: History

  /// Whether some store is SQLite's.
  var hasOwnStores: Bool { !asksStores || sessions.contains { $0.store.backing == nil } }

  // MARK: Taking over

  /// Saves what a store answered to the rows in memory.
  func absorb(from backing: StoreBacking, _ body: (inout Absorption) throws -> Void) throws {
    try withInternalCore { core in
      core.mode.followsDeleteRules = false
      core.mode.unitesInserts = false
      var absorption = Absorption(backing, core, editing)
      try body(&absorption)
      try absorption.finish()
    }
  }

  /// Runs the body with a context of nobody's, which asks no store and of which nobody is told.
  ///
  /// - Parameter saving: The store of a save that is under way, and its connection: what it has written is seen then.
  func withInternalCore<Result>(
    within saving: (store: SQLiteStore, connection: Connection)? = nil, _ body: (ContextCore) throws -> Result
  ) throws -> Result {
    let core = ContextCore(container: container, within: saving)
    core.mode.isInternal = true
    // While the store is held nobody else changes its rows; and what others save elsewhere is none of its business.
    core.inbox.isOpen = false
    // Held, since what goes with it is what is related to its objects.
    let context = core.facade
    return try withExtendedLifetime(context) {
      defer {
        core.faultError = nil
        core.rollback()
      }
      return try body(core)
    }
  }
}

extension Predicate {
  /// Whether identifiers are part of what it says: they are part of its expression's type then.
  fileprivate var namesIdentifiers: Bool {
    String(reflecting: type(of: expression)).contains(String(describing: PersistentIdentifier.self))
  }
}
