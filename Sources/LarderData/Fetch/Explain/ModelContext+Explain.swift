// Beyond Apple's API: how a fetch is run.

import Foundation
import LarderSQLite

extension ModelContext {
  /// How the store would run a fetch: its SQL, SQLite's plan, which index serves it, and which one would help.
  ///
  /// ```swift
  /// let explanation = try context.explain(strong)
  /// #expect(!explanation.isScan)
  /// ```
  ///
  /// Nothing is fetched. A fetch that reads many rows of a large table because no index serves its predicate says so
  /// in the log, once for each statement; this says it beforehand.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func explain<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation where T: PersistentModel {
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: core)
    let yield = fetch.rowsShape(limit: fetch.request.limit, offset: fetch.request.offset)
    let query = try fetch.query(yield, fetch.plan, isLimited: fetch.request.isLimited)
    let layout = fetch.request.layout
    let session = fetch.tracker.session
    let plan = try StoreError.mapErrors(session.store.errorURL, "explaining a fetch") {
      try session.read { try QueryPlan(of: query.sql, on: $0) }
    }
    let isScan = plan.isScan(withNil: try fetch.capturesNil())
    // The few rows that belong to one related object are soon put in order.
    let isCostly = isScan && fetch.plan != nil || plan.isSorted && !query.isJoined
    let advice = IndexAdvice(layout, fetch.plan, fetch.request.sort, isScan: isScan)
    let layouts = [layout] + (fetch.plan?.related.map(\.layout) ?? [])
    var seen: Set<String> = []
    return FetchExplanation(
      sql: query.sql, steps: plan.steps,
      indexes: layouts.flatMap(plan.indexes).filter { seen.insert($0).inserted }, isScan: isScan,
      isSorted: plan.isSorted, suggestion: isCostly ? advice?.description : nil,
      isPartlyInSwift: fetch.plan?.isWholeSQL == false, includesPending: try fetch.isAffectedByPendingChanges())
  }
}

extension PreparedFetch {
  /// Whether a captured value is nil for which the statement has a part of its own.
  fileprivate func capturesNil() throws -> Bool {
    guard let plan, let expression = request.expression, let present = plan.term.withPresentParameters else {
      return false
    }
    let values = try plan.parameterValues(expression)
    return present.parameters.contains { values[$0] == .scalar(.null) }
  }
}
