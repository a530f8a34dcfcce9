internal import CLarderSQLite
internal import CSQLite

// What a connection knows of its latest statements. All of it reads as zero once the connection is closed.
extension Connection {
  /// Rows changed by the latest INSERT, UPDATE or DELETE.
  public var changes: Int64 { isOpen ? sqlite3_changes64(handle) : 0 }

  /// Rows changed since the connection was opened.
  public var totalChanges: Int64 { isOpen ? sqlite3_total_changes64(handle) : 0 }

  /// The row identifier of the latest INSERT. Set it to 0 before an upsert to tell an insert from an update after it.
  public var lastInsertRowID: Int64 {
    get { isOpen ? sqlite3_last_insert_rowid(handle) : 0 }
    set { if isOpen { sqlite3_set_last_insert_rowid(handle, newValue) } }
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

  /// Whether the database was opened, or can only be opened, for reading.
  public var isReadOnly: Bool { isOpen && sqlite3_db_readonly(handle, "main") == 1 }

  /// A number that changes when *another* connection has committed. Frozen inside a read transaction.
  public func dataVersion() throws -> Int64 { try int64("PRAGMA data_version") ?? 0 }

  /// How many transactions have been committed to a database with a write-ahead log, by whomever. The number begins anew
  /// when the log does after a crash: what counts is that it is another one. Costs no more than a look at shared memory,
  /// and is that of now, inside a snapshot, too.
  ///
  /// nil where there is no such log.
  public var commitCount: UInt32? {
    var count: UInt32 = 0
    return isOpen && hasLog && larder_commit_count(handle, &count) == 1 ? count : nil
  }

  /// The file's path as SQLite has resolved it; nil for a database in memory.
  var resolvedPath: String? {
    guard isOpen, let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
    return String(cString: name)
  }

  /// Stops the running statement. For another thread, use ``interrupter``.
  public func interrupt() { interrupter.interrupt() }

  /// How many of this connection's transactions are in the write-ahead log; those that changed nothing are not.
  public var logCommitCount: Int64 { transactionMonitor.pointee.wal_commits }

  /// Frames in the write-ahead log after this connection's latest commit.
  public var logFrameCount: Int64 { transactionMonitor.pointee.wal_frames }

  /// The next commit begins the log anew.
  func logDidRestart() { transactionMonitor.pointee.wal_frames = 0 }
}
