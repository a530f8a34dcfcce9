import Foundation
import LarderSQLite

/// A fetch made ready: its plan, its order, and the state that it is for.
struct PreparedFetch<Model: PersistentModel> {
  let core: ContextCore
  let state: EntityState
  let descriptor: FetchDescriptor<Model>
  let plan: PredicatePlan?
  let sort: SortPlan?

  init(_ descriptor: FetchDescriptor<Model>, in core: ContextCore) throws {
    self.core = core
    self.descriptor = descriptor
    state = try core.state(for: Model._$layout)
    let layout = state.layout
    plan = try descriptor.predicate.map { try core.plans.find($0.expression, layout) }
    sort = descriptor.sortBy.isEmpty ? nil : try SortPlan(descriptor.sortBy, layout: state.layout)
    if let limit = descriptor.fetchLimit, limit < 0 { throw Self.negative("fetchLimit", limit) }
    if let offset = descriptor.fetchOffset, offset < 0 { throw Self.negative("fetchOffset", offset) }
  }

  private static func negative(_ name: String, _ value: Int) -> FetchError {
    FetchError(
      .invalidDescriptor, entityName: Model._$layout.entityName,
      "\(name) is \(value). Give 0 or more, or nil for no limit.")
  }

  var isLimited: Bool { descriptor.fetchLimit != nil || (descriptor.fetchOffset ?? 0) > 0 }

  /// Whether what is pending can change the result. Edits matter only where they touch a property that is read.
  var concernsPending: Bool {
    guard descriptor.includePendingChanges else { return false }
    if !state.inserted.isEmpty || !state.deletedRows.isEmpty { return true }
    return state.dirtyMask & ((plan?.mask ?? 0) | (sort?.mask ?? 0)) != 0
  }

  /// Runs the query and hands its statement to the body.
  @inline(__always)
  func run<Result>(
    _ yield: QueryYield, limit: Int?, offset: Int, _ body: (Statement) throws -> Result
  ) throws -> Result {
    let isLimited = limit != nil || offset > 0
    let query: Query
    if yield == .rows, sort == nil, !isLimited, let plan {
      // The shape of most fetches: the plan itself knows its query.
      if let known = plan.rowsQuery {
        query = known
      } else {
        query = core.queries.query(state.statements, .rows, plan: plan, order: "", isLimited: false)
        plan.rowsQuery = query
      }
    } else {
      query = core.queries.query(state.statements, yield, plan: plan, order: sort?.sql ?? "", isLimited: isLimited)
    }
    do {
      return try core.session.read { connection in
        let statement = try query.statement(on: connection)
        defer {
          statement.reset()
          statement.checkIn()
        }
        if let plan, let predicate = descriptor.predicate {
          try plan.bind(predicate.expression, to: statement, from: 1)
        }
        if isLimited {
          statement.bind(query.parameterCount + 1, Int64(limit ?? -1))
          statement.bind(query.parameterCount + 2, Int64(offset))
        }
        return try body(statement)
      }
    } catch let error as SQLiteError {
      throw failure(error)
    }
  }

  private func failure(_ error: SQLiteError) -> any Error {
    if let arithmetic = error.arithmetic {
      return FetchError(
        .arithmetic, entityName: state.layout.entityName,
        "The predicate on \(state.layout.entityName) has no value for some row: \(arithmetic). Guard it with a "
          + "condition.")
    }
    return StoreError(
      error, core.store.database.isInMemory ? nil : core.store.url, "fetching \(state.layout.entityName)")
  }

  /// The rows in the store that match, as objects.
  func load(limit: Int?, offset: Int) throws -> [Model] {
    try run(.rows, limit: limit, offset: offset) { statement in
      try ModelArray.collect(Model.self) { try Model._$load(StoredRows(statement), state, into: $0) }
    }
  }

  /// The objects that match, what is pending included, in order.
  func models() throws -> [Model] {
    guard concernsPending else {
      return try load(limit: descriptor.fetchLimit, offset: descriptor.fetchOffset ?? 0)
    }
    return try withPending()
  }
}
