import CSQLite
import LarderSQLite
import LarderSupport

/// A monitor that logs a warning, once for each statement in the life of a store, when the statement scans a large table.
///
/// When a context first runs a statement, SQLite's plan decides whether the statement can scan; if not, it is never
/// checked again. SQLite itself counts the scanned rows, so a growing table is noticed, too.
package final class FullScanMonitor: Sendable {
  /// 10,000: the number of rows passed over in one run from which on a warning is logged. Reading so many takes some
  /// milliseconds.
  package static let largeScanRowCount = 10_000

  private enum Verdict {
    case never, unreported, reported
  }

  private let verdicts = Locked<[String: Verdict]>([:])

  package init() {}

  /// Returns whether a statement can scan a table and no warning was logged for it yet.
  func shouldMonitor(_ sql: String, on connection: Connection) -> Bool {
    if let known = verdicts.withLock({ $0[sql] }) { return known == .unreported }
    // A plan that SQLite cannot return says nothing about the fetch, which has just run.
    let isScan = (try? QueryPlan(of: sql, on: connection).mayScan) ?? false
    verdicts.withLock { verdicts in
      // Limits memory where predicates are created anew each time.
      if verdicts.count >= FullScanMonitor.maximumStatements { verdicts.removeAll() }
      verdicts[sql] = isScan ? .unreported : .never
    }
    return isScan
  }

  private static let maximumStatements = 1_000

  /// Marks a statement as reported; returns whether this call was the first to do so.
  private func markReported(_ sql: String) -> Bool {
    verdicts.withLock { verdicts in
      guard verdicts[sql] != .reported else { return false }
      verdicts[sql] = .reported
      return true
    }
  }

  /// Checks a monitored statement after a run. Returns whether to keep monitoring it.
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
