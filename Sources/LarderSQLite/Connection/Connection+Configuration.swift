internal import CLarderSQLite
internal import CSQLite

/// What a connection of a database is for.
enum ConnectionRole {
  case writer
  case reader
  case memory
}

extension Connection {
  /// Applies the settings. Until `validate` has agreed, nothing is written.
  func configure(_ settings: DatabaseSettings, role: ConnectionRole, validate: (Connection) throws -> Void) throws {
    setBusyTimeout(settings.busyTimeout)
    harden(settings)
    try withErrorContext("opening a database") {
      if role == .writer, isReadOnly {
        // SQLite opens for reading what it may not write, and would tell at the first write only. Before the first read,
        // which makes files beside the database.
        throw SQLiteError(
          code: SQLITE_READONLY, message: "this user may read the file, but not write it", context: "opening a database"
        )
      }
      // The first read: a file that is no database, or is damaged at its root, fails here.
      _ = try int64("SELECT count(*) FROM sqlite_schema")
      guard try string("PRAGMA encoding") == "UTF-8" else {
        throw SQLiteError.refused(
          .notUTF8, code: SQLITE_MISMATCH, "the database stores text as UTF-16", context: "opening a database")
      }
      // In one snapshot: another process that makes the database meanwhile is seen whole, or not at all.
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
        // Apple's systems sync to the disk's own cache only, unless asked. Elsewhere these do nothing.
        let syncsFully = settings.durability == .full ? "ON" : "OFF"
        try execute("PRAGMA fullfsync = \(syncsFully); PRAGMA checkpoint_fullfsync = \(syncsFully)")
        try execute("PRAGMA journal_size_limit = \(settings.journalSizeLimit)")
        transactionMonitor.pointee.checkpoint_frames = settings.checkpointFrames
        larder_install_wal_watch(handle, transactionMonitor)
      case .reader:
        // A slip in the layer above must not write on a connection that does not queue.
        try execute("PRAGMA query_only = ON")
      case .memory: break
      }
      // Without one, to look at the log's index would make one.
      hasLog = try role != .memory && !isImmutable && string("PRAGMA journal_mode") == "wal"
    }
    removeCachedStatements()
  }

  /// Tries again while another connection is in the way. Of two that switch a new file to write-ahead logging at once,
  /// each waits for the other's read to end, and SQLite refuses both at once rather than wait: letting go helps.
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

  /// A hostile file must not run anything, nor make SQLite work for long.
  private func harden(_ settings: DatabaseSettings) {
    for (setting, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      // "x" is a column, never by accident a text.
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
