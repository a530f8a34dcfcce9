// An addition to Apple's API: the plan of a fetch.

import Foundation
import LarderSQLite

extension ModelContext {
  /// Returns how the store would run a fetch: its SQL, SQLite's plan, the indexes it uses, and an index that would help.
  ///
  /// ```swift
  /// let explanation = try context.explain(strong)
  /// #expect(!explanation.isScan)
  /// ```
  ///
  /// Nothing is fetched. A fetch that reads many rows of a large table because no index serves its predicate logs a
  /// warning, once for each statement; this function shows the problem beforehand.
  ///
  /// - Parameter descriptor: The fetch to explain.
  /// - Returns: The SQL statement, its plan, and a suggested index.
  /// - Throws: The errors of ``fetch(_:)``.
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
    // The few rows of one related object are sorted quickly.
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
  /// Returns whether a captured value is nil and the statement has a separate part for this case.
  fileprivate func capturesNil() throws -> Bool {
    guard let plan, let expression = request.expression, let present = plan.term.withPresentParameters else {
      return false
    }
    let values = try plan.parameterValues(expression)
    return present.parameters.contains { values[$0] == .scalar(.null) }
  }
}
