internal import CLarderSQLite
internal import CSQLite

/// The purpose of a connection of a database.
enum ConnectionRole {
  case writer
  case reader
  case memory
}

extension Connection {
  /// Applies the settings. Nothing is written before `validate` has returned.
  func configure(_ settings: DatabaseSettings, role: ConnectionRole, validate: (Connection) throws -> Void) throws {
    setBusyTimeout(settings.busyTimeout)
    harden(settings)
    try withErrorContext("opening a database") {
      if role == .writer, isReadOnly {
        // SQLite opens a file that it may not write for reading, and would report that only at the first write. Check
        // before the first read, which creates files next to the database.
        throw SQLiteError(
          code: SQLITE_READONLY, message: "this user may read the file, but not write it", context: "opening a database"
        )
      }
      // The first read: a file that is not a database, or is damaged at its root, fails here.
      _ = try int64("SELECT count(*) FROM sqlite_schema")
      guard try string("PRAGMA encoding") == "UTF-8" else {
        throw SQLiteError.refused(
          .notUTF8, code: SQLITE_MISMATCH, "the database stores text as UTF-16", context: "opening a database")
      }
      // In one snapshot: a database that another process is creating is seen as a whole, or not at all.
      try transaction(.deferred) { try validate(self) }
      try execute("PRAGMA cache_size = -\(settings.cacheKibibytes)")
      try execute("PRAGMA foreign_keys = ON")
      try execute("PRAGMA cell_size_check = ON")
      if role != .memory { try execute("PRAGMA mmap_size = \(settings.memoryMapSize)") }
      switch role {
      case .writer:
        let mode = try retryingWhileBusy(settings.busyTimeout) { try string("PRAGMA journal_mode = WAL") }
        guard mode == "wal" else {
          throw SQLiteError(
            code: SQLITE_CANTOPEN, message: "write-ahead logging is not possible here", context: "opening a database")
        }
        try execute("PRAGMA synchronous = \(settings.durability == .full ? "FULL" : "NORMAL")")
        // Apple's systems sync to the disk's own cache only, unless told otherwise. Elsewhere these pragmas do nothing.
        let syncsFully = settings.durability == .full ? "ON" : "OFF"
        try execute("PRAGMA fullfsync = \(syncsFully); PRAGMA checkpoint_fullfsync = \(syncsFully)")
        try execute("PRAGMA journal_size_limit = \(settings.journalSizeLimit)")
        transactionMonitor.pointee.checkpoint_frames = settings.checkpointFrames
        larder_install_wal_watch(handle, transactionMonitor)
      case .reader:
        // A mistake in the layer above must not write on a connection that does not queue.
        try execute("PRAGMA query_only = ON")
      case .memory: break
      }
      // Without a log, looking at the log's index would create one.
      hasLog = try role != .memory && !isImmutable && string("PRAGMA journal_mode") == "wal"
    }
    removeCachedStatements()
  }

  /// Tries again while another connection is in the way. If two connections switch a new file to write-ahead logging at
  /// the same time, each waits for the other's read to end, and SQLite fails both rather than wait: releasing the lock
  /// helps.
  private func retryingWhileBusy<Result>(_ limit: Duration, _ body: () throws -> Result) throws -> Result {
    let end = ContinuousClock.now + limit
    while true {
      do {
        return try body()
      } catch let error as SQLiteError where error.code == .busy && ContinuousClock.now < end {
        sqlite3_sleep(Int32.random(in: 1...Int32(DatabaseSettings.maximumBusyPauseMicroseconds / 1_000)))
      }
    }
  }

  /// Restricts SQLite: a hostile file must not run code, nor keep SQLite busy.
  private func harden(_ settings: DatabaseSettings) {
    for (setting, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      // "x" is always a column, never a text by accident.
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    ] as [(Int32, Int32)] {
      larder_db_config_flag(handle, setting, value)
    }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, settings.maximumValueLength), (SQLITE_LIMIT_SQL_LENGTH, DatabaseSettings.maximumSQLLength),
      (SQLITE_LIMIT_COMPOUND_SELECT, DatabaseSettings.maximumCompoundSelect),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, DatabaseSettings.maximumLikePattern),
      (SQLITE_LIMIT_ATTACHED, DatabaseSettings.maximumAttached),
      (SQLITE_LIMIT_WORKER_THREADS, DatabaseSettings.maximumWorkerThreads),
    ] {
      sqlite3_limit(handle, limit, value)
    }
  }

  func withErrorContext<Result>(_ context: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as SQLiteError {
      error.context = context
      throw error
    }
  }
}
