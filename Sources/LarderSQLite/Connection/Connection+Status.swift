internal import CSQLite

/// Counts of a connection's work, for tests and benchmarks that count instead of measuring time.
public struct ConnectionStatus: Sendable, Equatable {
  /// Pages written to the database or its log.
  public var pagesWritten: Int64 = 0
  /// Pages found in the cache.
  public var cacheHits: Int64 = 0
  /// Pages that had to be read.
  public var cacheMisses: Int64 = 0
  /// Statements prepared.
  public var statementsPrepared: Int64 = 0
  /// Runs of statements.
  public var statementRuns: Int64 = 0
  /// Operations of SQLite's virtual machine: its measure of work.
  public var machineSteps: Int64 = 0

  /// Creates a status with all counts at zero.
  public init() {}

  /// Returns the work between two readings.
  public static func - (later: ConnectionStatus, earlier: ConnectionStatus) -> ConnectionStatus {
    var difference = later
    difference.pagesWritten -= earlier.pagesWritten
    difference.cacheHits -= earlier.cacheHits
    difference.cacheMisses -= earlier.cacheMisses
    difference.statementsPrepared -= earlier.statementsPrepared
    difference.statementRuns -= earlier.statementRuns
    difference.machineSteps -= earlier.machineSteps
    return difference
  }
}

extension Connection {
  /// Returns the counts since the connection was opened.
  ///
  /// ```swift
  /// let before = connection.status()
  /// try save()
  /// #expect((connection.status() - before).pagesWritten == 0)
  /// ```
  public func status() -> ConnectionStatus {
    guard isOpen else { return ConnectionStatus() }
    var status = ConnectionStatus()
    status.pagesWritten = counter(SQLITE_DBSTATUS_CACHE_WRITE)
    status.cacheHits = counter(SQLITE_DBSTATUS_CACHE_HIT)
    status.cacheMisses = counter(SQLITE_DBSTATUS_CACHE_MISS)
    status.statementsPrepared = counters.preparedCount
    status.statementRuns = counters.finalizedRunCount
    status.machineSteps = counters.finalizedStepCount
    var statement = sqlite3_next_stmt(handle, nil)
    while let living = statement {
      status.statementRuns += Int64(sqlite3_stmt_status(living, SQLITE_STMTSTATUS_RUN, 0))
      status.machineSteps += Int64(sqlite3_stmt_status(living, SQLITE_STMTSTATUS_VM_STEP, 0))
      statement = sqlite3_next_stmt(handle, living)
    }
    return status
  }

  /// Whether the open transaction has rows that reference missing rows, so that it could not be committed.
  public var hasForeignKeyViolations: Bool { counter(SQLITE_DBSTATUS_DEFERRED_FKS) != 0 }

  private func counter(_ which: Int32) -> Int64 {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, which, &current, &highest, 0)
    return Int64(current)
  }
}
