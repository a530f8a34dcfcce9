import Foundation
import LarderSQLite
import LarderSupport

/// A fetch that is ready to run in a context: with the tracker of its model and the plan of its predicate.
struct PreparedFetch {
  // Unowned without a count, as each fetch creates one: the caller of the fetch holds the core.
  unowned(unsafe) let core: _ContextCore
  let tracker: _EntityTracker
  let request: FetchRequest
  let plan: PredicatePlan?

  @inline(__always)
  init(_ request: consuming FetchRequest, in core: _ContextCore) throws {
    core.checkIsolation("A fetch")
    try core.pollExternalCommits()
    core.mergeRemoteChangesIfNeeded()
    try core.propagateDeletions()
    let tracker = try core.tracker(for: request.layout)
    plan =
      request.isConditional
      ? try core.planCache.plan(for: request.condition, request.layout, identifierResolver: tracker.identifierResolver)
      : nil
    self.core = core
    self.tracker = tracker
    self.request = request
  }

  /// Creates another request for the same rows, in the same context.
  init(_ request: FetchRequest, _ other: PreparedFetch) {
    core = other.core
    tracker = other.tracker
    plan = other.plan
    self.request = request
  }

  /// The properties whose edits can change the result.
  var readMask: _PropertyMask { (plan?.mask ?? 0) | (request.sort?.mask ?? 0) }

  /// Whether a pending edit or deletion can change the result.
  @inline(__always)
  var isAffectedByEdits: Bool {
    let dirty = tracker.familyDirtyMask
    return tracker.hasDeletions || (dirty != 0 && dirty & readMask != 0)
  }

  /// Whether pending changes of related objects can change the result.
  @inline(__always)
  var isAffectedByRelatedChanges: Bool {
    guard let plan, !plan.related.isEmpty else { return false }
    return AffectedRows.hasPendingChanges(core, plan.related)
  }

  /// Whether pending changes of related objects can change the order.
  @inline(__always)
  var isSortAffectedByRelatedChanges: Bool {
    if request.sortsInMemory { return core.hasChanges }
    guard let sort = request.sort, !sort.related.isEmpty else { return false }
    return sort.related.contains { AffectedRows.hasPendingChanges(core, $0) }
  }

  /// Returns whether pending changes can change the result.
  @inline(__always)
  func isAffectedByPendingChanges() throws -> Bool {
    guard request.includesPending else { return false }
    if isAffectedByEdits || isAffectedByRelatedChanges || isSortAffectedByRelatedChanges { return true }
    if !tracker.hasInserts { return false }
    // The loop "fetch by key, update or insert" calls this for each record: an empty result needs no evaluation.
    guard let candidates = try insertedCandidates(tracker) else { return true }
    return try !candidates.isEmpty
      || (!tracker.subclassTrackers.isEmpty && tracker.subclassTrackers.contains { try hasCandidates($0) })
  }

  private func hasCandidates(_ tracker: _EntityTracker) throws -> Bool {
    try insertedCandidates(tracker)?.isEmpty != true
  }

  /// Returns the indexes of the inserted objects that an equality of the predicate selects; nil where it has no equality.
  @inline(__always)
  func insertedCandidates(_ tracker: _EntityTracker) throws -> [Int]? {
    guard let plan, request.isConditional else { return nil }
    do {
      guard let equality = plan.equality, let wanted = try plan.equalityValue(request.condition) else {
        if let key = try plan.rowID(request.condition) { return tracker.insertedIndexes(ofRow: key) }
        return try plan.lookupValues(request.condition).flatMap { tracker.insertedIndexes(of: $0) }
      }
      return tracker.insertedIndexes(of: wanted, column: equality.column)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }

  /// Runs the query and passes its statement to the body.
  @inline(__always)
  func run<Result>(
    _ yield: ResultShape, limit: Int?, offset: Int, _ body: (Statement) throws -> Result
  ) throws -> Result {
    // Copied once, as are the others below: values next to an existential are copied at each access.
    let plan = plan
    if request.sortsInMemory, let sort = request.sort, yield.hasOrder {
      return try runSortingInMemory(sort, yield, limit: limit, offset: offset, body)
    }
    if let plan, !plan.isWholeSQL { return try runWithResidual(plan, yield, limit: limit, offset: offset, body) }
    let isLimited = limit != nil || offset > 0
    do {
      let query = try query(yield, plan, isLimited: isLimited)
      let session = tracker.session
      let reading = try session.beginReading()
      defer { session.endReading(reading) }
      let statement = try reading.unretainedConnection._withUnsafeGuaranteedRef { try query.statement(on: $0) }
      defer {
        statement.reset()
        statement.checkIn()
      }
      if let plan, request.isConditional {
        if query.isJoined {
          try plan.bindJoined(request.condition, to: statement)
        } else {
          try plan.bind(request.condition, to: statement, from: 1)
        }
      }
      if isLimited {
        statement.bind(query.parameterCount + 1, Int64(limit ?? -1))
        statement.bind(query.parameterCount + 2, Int64(offset))
      }
      let result = try body(statement)
      if query.isMonitored { monitorScan(query, statement, reading.connection) }
      return result
    } catch let error as SQLiteError {
      throw makeError(error)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }

  /// Returns the query, which is created once for each shape.
  @inline(__always)
  func query(_ yield: ResultShape, _ plan: PredicatePlan?, isLimited: Bool) throws -> PreparedQuery {
    let isJoined = try joins(for: yield, plan)
    if let plan, request.sort == nil, !isLimited, yield.isOfRows(isJoined: isJoined) {
      // The shape of most fetches: the plan itself keeps this query.
      if let known = isJoined ? plan.unorderedRowsQuery : plan.rowsQuery { return known }
      let query = core.queryCache.query(
        tracker.statements, yield, plan: plan, order: "", isLimited: false, isJoined: isJoined)
      if isJoined { plan.unorderedRowsQuery = query } else { plan.rowsQuery = query }
      return query
    }
    let order = isJoined ? request.sort?.joinedSQL(request.layout) : request.sort?.sql
    return core.queryCache.query(
      tracker.statements, yield, plan: plan, order: order ?? "", isLimited: isLimited, isJoined: isJoined)
  }

  /// Returns the shape of a query for rows. Rows that an index of related objects finds come in its order: sorting a few
  /// objects in memory is faster than sorting all columns of their rows.
  func rowsShape(limit: Int?, offset: Int) -> ResultShape {
    plan?.joined != nil && request.sort == nil && limit == nil && offset == 0 ? .unorderedRows : .rows
  }

  /// Returns whether the query joins the related tables, instead of selecting from a list of row IDs.
  @inline(__always)
  private func joins(for yield: ResultShape, _ plan: PredicatePlan?) throws -> Bool {
    guard let plan, plan.joined != nil else { return false }
    return try canJoin(plan, yield)
  }

  @inline(never)
  private func canJoin(_ plan: PredicatePlan, _ yield: ResultShape) throws -> Bool {
    // The columns of an aggregate have no table name, and the rows of a subclass are selected from the table beforehand.
    if case .aggregate = yield { return false }
    guard tracker.statements.filter == nil, let expression = request.expression else { return false }
    return try plan.canJoin(expression)
  }

  @inline(never)
  private func monitorScan(_ query: PreparedQuery, _ statement: Statement, _ connection: Connection) {
    let scans = tracker.store.scanMonitor
    if !query.isMonitoringDecided {
      query.isMonitoringDecided = true
      query.isMonitored = scans.shouldMonitor(query.sql, on: connection)
      if !query.isMonitored { return }
    }
    query.isMonitored = scans.checkScan(of: statement, request.layout, plan, request.sort)
  }

  /// Returns the error for a read that failed. Also invalidates the session's snapshot, which may have ended.
  func makeError(_ error: SQLiteError) -> any Error {
    tracker.session.invalidateSnapshot()
    if let failure = PredicateFailure(error) { return FetchError(failure, entityName: tracker.layout.entityName) }
    return StoreError(
      error, tracker.store.errorURL, "fetching \(tracker.layout.entityName)")
  }

  /// Loads the matching rows of the store, as objects.
  func load(limit: Int?, offset: Int, into models: _ModelArrayPointer) throws {
    let tracker = tracker
    if let plan, plan.isExactlyEquality, try isTableKnownEmpty(tracker) { return }
    let yield = rowsShape(limit: limit, offset: offset)
    try run(yield, limit: limit, offset: offset) { statement in
      let rows = _RowCursor(statement, of: tracker.statements, isUnordered: yield.isUnordered)
      try tracker.layout.type._$load(rows, tracker, into: models)
    }
    // Rows with a pending deletion are loaded only on request; their instances are then marked as deleted.
    if !request.includesPending && tracker.hasDeletions { tracker.markDeletedInstances() }
  }
}

extension FetchError {
  /// Creates the error of a predicate, for a row in which SQLite reports it and for a pending object.
  init(_ failure: PredicateFailure, entityName: String) {
    self.init(
      .arithmetic, entityName: entityName,
      "The predicate on \(entityName) has no value for some row: \(failure)")
  }
}

extension _ContextCore {
  /// Loads the result from the store, if pending changes do not affect it; returns whether it did.
  @usableFromInline
  package func load(_ request: consuming FetchRequest, into models: _ModelArrayPointer) throws -> Bool {
    let fetch = try PreparedFetch(request, in: self)
    return try deferringNotifications {
      if try fetch.isAffectedByPendingChanges() { return false }
      try fetch.load(limit: fetch.request.limit, offset: fetch.request.offset, into: models)
      return true
    }
  }
}

// Without `==`, which would be looked up for each fetch.
extension ResultShape {
  @inline(__always)
  fileprivate var isUnordered: Bool { if case .unorderedRows = self { true } else { false } }

  /// Returns whether this is one of the two queries that a plan itself keeps.
  @inline(__always)
  fileprivate func isOfRows(isJoined: Bool) -> Bool {
    switch self {
    case .unorderedRows: true
    case .rows: !isJoined
    default: false
    }
  }
}
