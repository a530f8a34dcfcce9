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

  /// Stops the running statement. For another thread, use ``interrupter``.
  public func interrupt() { interrupter.interrupt() }

  /// Frames in the write-ahead log after this connection's latest commit.
  public var logFrames: Int64 { watch.pointee.wal_frames }
}
