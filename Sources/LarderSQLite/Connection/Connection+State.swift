internal import CLarderSQLite
internal import CSQLite

// State of a connection after its latest statements. All of it reads as zero once the connection is closed.
extension Connection {
  /// Rows changed by the latest INSERT, UPDATE or DELETE.
  public var changes: Int64 { isOpen ? sqlite3_changes64(handle) : 0 }

  /// Rows changed since the connection was opened.
  public var totalChanges: Int64 { isOpen ? sqlite3_total_changes64(handle) : 0 }

  /// The row ID of the latest INSERT. Set it to 0 before an upsert to distinguish an insert from an update afterwards.
  public var lastInsertRowID: Int64 {
    get { isOpen ? sqlite3_last_insert_rowid(handle) : 0 }
    set { if isOpen { sqlite3_set_last_insert_rowid(handle, newValue) } }
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

  /// Whether the database was opened, or can only be opened, for reading.
  public var isReadOnly: Bool { isOpen && sqlite3_db_readonly(handle, "main") == 1 }

  /// Returns a number that changes when *another* connection has committed. It stays the same inside a read
  /// transaction.
  public func dataVersion() throws -> Int64 { try int64("PRAGMA data_version") ?? 0 }

  /// The number of transactions committed to a database with a write-ahead log, by any connection or process. It
  /// restarts when the log does so after a crash, so compare it only for equality. Reading it costs no more than a read
  /// of shared memory, and gives the current number inside a snapshot, too.
  ///
  /// `nil` if there is no such log.
  public var commitCount: UInt32? {
    var count: UInt32 = 0
    return isOpen && hasLog && larder_commit_count(handle, &count) == 1 ? count : nil
  }

  /// The file's path as SQLite has resolved it; `nil` for a database in memory.
  var resolvedPath: String? {
    guard isOpen, let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
    return String(cString: name)
  }

  /// Interrupts the running statement. From another thread, use ``interrupter``.
  public func interrupt() { interrupter.interrupt() }

  /// The number of this connection's transactions in the write-ahead log; transactions that changed nothing do not
  /// count.
  public var logCommitCount: Int64 { transactionMonitor.pointee.wal_commits }

  /// Frames in the write-ahead log after this connection's latest commit.
  public var logFrameCount: Int64 { transactionMonitor.pointee.wal_frames }

  /// Records that the next commit restarts the log.
  func logDidRestart() { transactionMonitor.pointee.wal_frames = 0 }
}
