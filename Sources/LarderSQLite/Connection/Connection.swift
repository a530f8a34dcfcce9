internal import CLarderSQLite
internal import CSQLite

/// One connection to a database.
///
/// A connection and its statements are used by one thread at a time: SQLite is opened without its own locks. Only
/// ``Interrupter`` may be used from anywhere. ``Database`` shares connections between threads.
///
/// ```swift
/// let connection = try Connection(path: "store.db")
/// try connection.execute("CREATE TABLE fruit(name TEXT UNIQUE) STRICT")
/// ```
///
/// Every connection has `larder_values(?)`, the checked arithmetic functions, exact sums and the collation `larder_decimal`.
public final class Connection {
  /// Whether a connection may write, and whether it makes the file.
  public enum Access: Sendable, Equatable {
    case readOnly
    case readWrite
    case create
  }

  /// SQLite's own handle. Not to be used after ``close()``.
  public let handle: OpaquePointer

  /// False after ``close()``.
  public private(set) var isOpen = true

  /// Whether the database has a write-ahead log; asked when the connection is made ready.
  var hasLog = false
  /// Whether SQLite was told that nobody writes the file.
  var isImmutable = false
  /// Who is asked whether what runs is still wanted.
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
  ///   - access: Whether to write, and to create.
  ///   - isURI: Whether `path` is a URI, as SQLite understands them.
  ///   - vfs: The name of a registered VFS; nil for the system's.
  /// - Throws: ``SQLiteError``. SQLite opens lazily: that a file is no database shows at the first statement.
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

  /// Closes the connection. An open transaction is rolled back. Calling it again does nothing.
  ///
  /// Statements that others still hold keep the file open until they are gone.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    statementCache.removeAll()
    resetStatements()
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    interrupter.invalidate()
    // The policies go with this object, while a held statement may keep the handle alive.
    sqlite3_busy_handler(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    sqlite3_wal_hook(handle, nil, nil)
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_close_v2(handle)
  }

  /// How long to wait, in short pauses of random length, for a lock that another process holds.
  public func setBusyTimeout(_ limit: Duration) {
    guard isOpen else { return }
    busyPolicy.pointee.limit_nanoseconds = limit.nanoseconds
    larder_install_busy_policy(handle, busyPolicy)
  }

  /// The longest of those pauses.
  func setBusyPause(microseconds: Int64) { busyPolicy.pointee.longest_pause_microseconds = microseconds }

  /// How often it has waited a moment for another process's lock.
  var lockWaitCount: Int64 { busyPolicy.pointee.waits }

  /// Ends whatever statement is still running, so that none holds a lock or a snapshot.
  func resetStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0 { sqlite3_reset(running) }
      statement = sqlite3_next_stmt(handle, running)
    }
  }
}

extension Duration {
  /// Saturating, and never negative.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // Half the range leaves room for adding the present time.
    return overflow || whole > .max / 2 ? .max / 2 : max(0, whole + attoseconds / 1_000_000_000)
  }
}
