internal import CLarderSQLite
internal import CSQLite

/// One connection to a database.
///
/// One thread at a time uses a connection and its statements: SQLite is opened without its own locks. Only
/// ``Interrupter`` may be used from any thread. ``Database`` shares connections between threads.
///
/// ```swift
/// let connection = try Connection(path: "store.db")
/// try connection.execute("CREATE TABLE fruit(name TEXT UNIQUE) STRICT")
/// ```
///
/// Every connection has `larder_values(?)`, the checked arithmetic functions, exact sums and the collation `larder_decimal`.
public final class Connection {
  /// Whether a connection may write, and whether it creates the file.
  public enum Access: Sendable, Equatable {
    /// Reads an existing file, and writes nothing.
    case readOnly
    /// Reads and writes an existing file.
    case readWrite
    /// Reads and writes the file, and creates it if it does not exist.
    case create
  }

  /// SQLite's own handle. Do not use it after ``close()``.
  public let handle: OpaquePointer

  /// Whether the connection is open: `false` after ``close()``.
  public private(set) var isOpen = true

  /// Whether the database has a write-ahead log; read when the connection is configured.
  var hasLog = false
  /// Whether SQLite was instructed that no process writes the file.
  var isImmutable = false
  /// The check that reports whether the running work is cancelled.
  var cancellationCheck: CancellationCheck?

  let counters = StatementCounters()
  var statementCache = StatementCache()
  let transactionMonitor: UnsafeMutablePointer<larder_transaction_watch>
  private let busyPolicy: UnsafeMutablePointer<larder_busy_policy>

  /// Interrupts this connection from other threads.
  public let interrupter: Interrupter

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - path: A path, or a URI if `isURI`. `:memory:` is a database in memory.
  ///   - access: Whether to write, and to create the file.
  ///   - isURI: Whether `path` is a URI, as SQLite understands it.
  ///   - vfs: The name of a registered VFS; `nil` for the system's.
  /// - Throws: ``SQLiteError``. SQLite opens lazily: a file that is not a database fails at the first statement.
  public init(path: String, access: Access = .create, isURI: Bool = false, vfs: String? = nil) throws {
    let context = "opening a database"
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError.refused(.invalidPath, code: SQLITE_CANTOPEN, "the path cannot be used", context: context)
    }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    if isURI { flags |= SQLITE_OPEN_URI }
    var opened: OpaquePointer?
    var code = sqlite3_open_v2(path, &opened, flags, vfs)
    if code == SQLITE_OK, let opened {
      code = Connection.addBuiltInFunctions(to: opened)
    }
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(database: opened, code: code, context: context)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    interrupter = Interrupter(opened)
    transactionMonitor = .allocate(capacity: 1)
    transactionMonitor.initialize(to: larder_transaction_watch())
    busyPolicy = .allocate(capacity: 1)
    busyPolicy.initialize(to: larder_busy_policy())
    busyPolicy.pointee.longest_pause_microseconds = DatabaseSettings.maximumBusyPauseMicroseconds
    larder_install_transaction_watch(handle, transactionMonitor)
    setBusyTimeout(DatabaseSettings.defaultBusyTimeout)
  }

  deinit {
    close()
    transactionMonitor.deallocate()
    busyPolicy.deallocate()
  }

  private static func addBuiltInFunctions(to handle: OpaquePointer) -> Int32 {
    for register in [
      larder_register_values, larder_register_arithmetic, larder_register_decimal_collation, larder_register_totals,
    ] {
      let code = register(handle)
      if code != SQLITE_OK { return code }
    }
    return SQLITE_OK
  }

  /// Closes the connection and rolls back an open transaction. A second call does nothing.
  ///
  /// Statements that are still retained keep the file open until they are released.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    statementCache.removeAll()
    resetStatements()
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    interrupter.invalidate()
    // The policies are deallocated with this object, while a retained statement may keep the handle alive.
    sqlite3_busy_handler(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    sqlite3_wal_hook(handle, nil, nil)
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_close_v2(handle)
  }

  /// Sets the longest wait, in short pauses of random length, for a lock that another process holds.
  public func setBusyTimeout(_ limit: Duration) {
    guard isOpen else { return }
    busyPolicy.pointee.limit_nanoseconds = limit.nanoseconds
    larder_install_busy_policy(handle, busyPolicy)
  }

  /// Sets the longest of those pauses.
  func setBusyPause(microseconds: Int64) { busyPolicy.pointee.longest_pause_microseconds = microseconds }

  /// The number of pauses so far while waiting for another process's lock.
  var lockWaitCount: Int64 { busyPolicy.pointee.waits }

  /// Resets all running statements, so that none holds a lock or a snapshot.
  func resetStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0 { sqlite3_reset(running) }
      statement = sqlite3_next_stmt(handle, running)
    }
  }
}

extension Duration {
  /// The duration in nanoseconds; saturating, and never negative.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // Half the range leaves room for adding the current time.
    return overflow || whole > .max / 2 ? .max / 2 : max(0, whole + attoseconds / 1_000_000_000)
  }
}
