import Foundation
import LarderSQLite
import LarderSupport

/// A fetch made ready to run in a context: the state that it is for and its predicate's plan.
struct PreparedFetch {
  // Uncounted, as one is made for each fetch: whoever fetches holds it.
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

  /// Another request about the same rows, in the same context.
  init(_ request: FetchRequest, _ other: PreparedFetch) {
    core = other.core
    tracker = other.tracker
    plan = other.plan
    self.request = request
  }

  /// The properties whose edits can change the answer.
  var readMask: _PropertyMask { (plan?.mask ?? 0) | (request.sort?.mask ?? 0) }

  /// Whether an edit or a deletion that is pending can change the answer.
  @inline(__always)
  var isAffectedByEdits: Bool {
    let dirty = tracker.familyDirtyMask
    return tracker.hasDeletions || (dirty != 0 && dirty & readMask != 0)
  }

  /// Whether what is pending of related objects can change the answer.
  @inline(__always)
  var isAffectedByRelatedChanges: Bool {
    guard let plan, !plan.related.isEmpty else { return false }
    return AffectedRows.hasPendingChanges(core, plan.related)
  }

  /// Whether what is pending of related objects can change the order.
  @inline(__always)
  var isSortAffectedByRelatedChanges: Bool {
    if request.sortsInMemory { return core.hasChanges }
    guard let sort = request.sort, !sort.related.isEmpty else { return false }
    return sort.related.contains { AffectedRows.hasPendingChanges(core, $0) }
  }

  /// Whether what is pending can change the answer.
  @inline(__always)
  func isAffectedByPendingChanges() throws -> Bool {
    guard request.includesPending else { return false }
    if isAffectedByEdits || isAffectedByRelatedChanges || isSortAffectedByRelatedChanges { return true }
    if !tracker.hasInserts { return false }
    // The loop "fetch by key, update or insert" asks this for each record: no answer is found without evaluating.
    guard let candidates = try insertedCandidates(tracker) else { return true }
    return try !candidates.isEmpty
      || (!tracker.subclassTrackers.isEmpty && tracker.subclassTrackers.contains { try hasCandidates($0) })
  }

  private func hasCandidates(_ tracker: _EntityTracker) throws -> Bool {
    try insertedCandidates(tracker)?.isEmpty != true
  }

  /// The places of inserted objects that an equality in the predicate leaves; nil where it has none.
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

  /// Runs the query and hands its statement to the body.
  @inline(__always)
  func run<Result>(
    _ yield: ResultShape, limit: Int?, offset: Int, _ body: (Statement) throws -> Result
  ) throws -> Result {
    // Taken out once, as are the others below: what lies beside an expression is copied each time that it is used.
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

  /// The text of what runs, made once for each shape.
  @inline(__always)
  func query(_ yield: ResultShape, _ plan: PredicatePlan?, isLimited: Bool) throws -> PreparedQuery {
    let isJoined = try joins(for: yield, plan)
    if let plan, request.sort == nil, !isLimited, yield.isOfRows(isJoined: isJoined) {
      // The shape of most fetches: the plan itself knows its query.
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

  /// How rows are asked for. Those that an index of related objects finds come in its order: a few objects are sooner put
  /// in theirs than all the columns of their rows.
  func rowsShape(limit: Int?, offset: Int) -> ResultShape {
    plan?.joined != nil && request.sort == nil && limit == nil && offset == 0 ? .unorderedRows : .rows
  }

  /// Whether tables are joined to the model's own, instead of asking for a list of its rows.
  @inline(__always)
  private func joins(for yield: ResultShape, _ plan: PredicatePlan?) throws -> Bool {
    guard let plan, plan.joined != nil else { return false }
    return try canJoin(plan, yield)
  }

  @inline(never)
  private func canJoin(_ plan: PredicatePlan, _ yield: ResultShape) throws -> Bool {
    // Columns of an aggregate have no table's name; and rows of one class are taken from a table of others before.
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

  /// The error of a read that has failed. The session hears of it, too: its snapshot may have ended.
  func makeError(_ error: SQLiteError) -> any Error {
    tracker.session.invalidateSnapshot()
    if let failure = PredicateFailure(error) { return FetchError(failure, entityName: tracker.layout.entityName) }
    return StoreError(
      error, tracker.store.errorURL, "fetching \(tracker.layout.entityName)")
  }

  /// The rows in the store that match, as objects.
  func load(limit: Int?, offset: Int, into models: _ModelArrayPointer) throws {
    let tracker = tracker
    if let plan, plan.isExactlyEquality, try isTableKnownEmpty(tracker) { return }
    let yield = rowsShape(limit: limit, offset: offset)
    try run(yield, limit: limit, offset: offset) { statement in
      let rows = _RowCursor(statement, of: tracker.statements, isUnordered: yield.isUnordered)
      try tracker.layout.type._$load(rows, tracker, into: models)
    }
    // Rows of which a deletion is pending are loaded only where that is asked for; their instances share their fate.
    if !request.includesPending && tracker.hasDeletions { tracker.markDeletedInstances() }
  }
}

extension FetchError {
  /// The same for a row, whose failure SQLite reports, and for an object that is pending.
  init(_ failure: PredicateFailure, entityName: String) {
    self.init(
      .arithmetic, entityName: entityName,
      "The predicate on \(entityName) has no value for some row: \(failure)")
  }
}

extension _ContextCore {
  /// Loads what the store answers, if that is the whole answer; returns whether it is.
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

  /// Whether it is one of the two queries that a plan itself keeps.
  @inline(__always)
  fileprivate func isOfRows(isJoined: Bool) -> Bool {
    switch self {
    case .unorderedRows: true
    case .rows: !isJoined
    default: false
    }
  }
}
