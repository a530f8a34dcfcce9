import CSQLite
import LarderSQLite
import LarderSupport

/// Says once for each statement, for the life of a store, that it reads a large table from end to end.
///
/// Whether a statement can is decided when a context first runs it, from SQLite's plan; one that cannot is never looked
/// at again. How much it reads is counted by SQLite itself, so that a table which grows is noticed, too.
package final class FullScanMonitor: Sendable {
  /// Rows passed over in one run from which on it is said: reading so many takes some milliseconds.
  package static let largeScanRowCount = 10_000

  private enum Verdict {
    case never, unreported, reported
  }

  private let verdicts = Locked<[String: Verdict]>([:])

  package init() {}

  /// Whether a statement can read a table from end to end, and it has not been said yet.
  func shouldMonitor(_ sql: String, on connection: Connection) -> Bool {
    if let known = verdicts.withLock({ $0[sql] }) { return known == .unreported }
    // A plan that cannot be had says nothing about the fetch, which has just run.
    let isScan = (try? QueryPlan(of: sql, on: connection).mayScan) ?? false
    verdicts.withLock { verdicts in
      // Predicates that are made anew each time must not fill the memory.
      if verdicts.count >= FullScanMonitor.maximumStatements { verdicts.removeAll() }
      verdicts[sql] = isScan ? .unreported : .never
    }
    return isScan
  }

  private static let maximumStatements = 1_000

  /// Whether this is the one to say it.
  private func markReported(_ sql: String) -> Bool {
    verdicts.withLock { verdicts in
      guard verdicts[sql] != .reported else { return false }
      verdicts[sql] = .reported
      return true
    }
  }

  /// Called after a run of a statement that is watched. Returns whether to go on watching it.
  func checkScan(of statement: Statement, _ layout: _ModelLayout, _ plan: PredicatePlan?, _ sort: SortPlan?) -> Bool {
    let passed = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)
    guard passed >= FullScanMonitor.largeScanRowCount else { return true }
    guard markReported(statement.sql) else { return false }
    let advice =
      IndexAdvice(layout, plan, sort, isScan: true).map { "Add \($0) to the model \($0.layout.entityName)." }
      ?? "No other index would serve it; add a condition that an index can serve, such as an equality."
    Log.warning(
      "A fetch of \(layout.entityName) read \(passed) rows from end to end. \(advice) It was: \(statement.sql)")
    return false
  }
}
