internal import CSQLite

extension Database {
  /// Runs the body in a transaction on the writing connection, in order of arrival.
  ///
  /// The transaction is committed when the body returns, and rolled back when it throws. It is immediate from its
  /// beginning and waits for other processes in short pauses, up to ``DatabaseSettings/busyTimeout``.
  ///
  /// - Parameters:
  ///   - body: The work.
  ///   - committed: Called after the commit, before another thread of this process can write. Not called inside
  ///     ``exclusively(_:)``, where the end of the body commits nothing.
  ///   - failed: Called under the same conditions if nothing was committed.
  /// - Throws: The body's error, or ``SQLiteError``: with ``SQLiteError/Reason/recursiveWrite`` inside another write of
  ///   this thread, and with ``SQLiteError/Reason/timedOut`` after ``DatabaseSettings/queueTimeout``.
  public func write<Result>(
    _ body: (Connection) throws -> Result, committed: (Connection) -> Void = { _ in }, failed: () -> Void = {}
  ) throws -> Result {
    try withWriter { connection in
      // Inside `exclusively` a transaction is open already.
      if connection.isInTransaction { return try connection.savepoint { try body(connection) } }
      if isExclusive { throw Database.transactionLostError }
      let result: Result
      do {
        result = try withWriteTurn(connection) { begun in
          try connection.transaction(.immediate) {
            begun()
            return try body(connection)
          }
        }
      } catch {
        failed()
        throw error
      }
      committed(connection)
      return result
    }
  }

  /// Runs the body in a transaction if that can begin soon, without waiting for a turn among the processes. Use it for
  /// optional work.
  ///
  /// - Parameter limit: The longest wait for another process's lock.
  /// - Throws: The body's error, or ``SQLiteError``, with the code `busy` if another process holds the lock.
  public func tryWrite<Result>(within limit: Duration, _ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in
      connection.setBusyTimeout(limit)
      defer { connection.setBusyTimeout(settings.busyTimeout) }
      return try connection.transaction(.immediate) { try body(connection) }
    }
  }

  /// Runs the body in this process's turn if other processes write, too.
  ///
  /// - Parameter body: Receives a closure, which it calls as soon as the write lock is taken.
  private func withWriteTurn<Result>(_ connection: Connection, _ body: (_ begun: () -> Void) throws -> Result) throws
    -> Result
  {
    guard let signal else { return try body({}) }
    var turn = signal.awaitTurn(timeout: turnTimeout)
    if turn == .none {
      // No process had to wait until now. If this one has to wait, it enables turns, so that other writers let it
      // proceed.
      var hasBegun = false
      connection.setBusyTimeout(.zero)
      defer { connection.setBusyTimeout(settings.busyTimeout) }
      do {
        return try body {
          hasBegun = true
          connection.setBusyTimeout(settings.busyTimeout)
        }
      } catch let error as SQLiteError where error.code == .busy && !hasBegun {
        signal.enableTurns()
        turn = signal.awaitTurn(timeout: turnTimeout)
      }
    }
    return try runTurn(turn, signal, connection, body)
  }

  private func runTurn<Result>(
    _ turn: CrossProcessSignal.Turn, _ meeting: CrossProcessSignal, _ connection: Connection,
    _ body: (_ begun: () -> Void) throws -> Result
  ) throws -> Result {
    var isOver = false
    switch turn {
    case .none: isOver = true
    case .timedOut(let waited): connection.setBusyTimeout(settings.busyTimeout - waited)
    case .acquired(let waited):
      // Both waits together stay within the limit. No other process asks for the lock as often as this one now.
      connection.setBusyTimeout(settings.busyTimeout - waited)
      connection.setBusyPause(microseconds: DatabaseSettings.maximumTurnPauseMicroseconds)
    }
    func end() {
      if isOver { return }
      isOver = true
      if case .acquired = turn { meeting.endTurn() }
      connection.setBusyPause(microseconds: DatabaseSettings.maximumBusyPauseMicroseconds)
      connection.setBusyTimeout(settings.busyTimeout)
    }
    defer { end() }
    return try body(end)
  }

  /// Runs the body while this thread has exclusive use of the database. On this thread, all reads and writes use the
  /// writing connection until the body ends, and take part in the transaction that the body has begun there. Use it for
  /// work that must be atomic and goes through layers that do not know of the transaction.
  ///
  /// Other threads that write wait; other threads that read see the last commit.
  public func exclusively<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in
      let wasHeld = isExclusive
      isExclusive = true
      defer { isExclusive = wasHeld }
      return try body(connection)
    }
  }

  /// Runs the body in an immediate transaction that begins in this process's turn if other processes write, too. Use it
  /// inside ``exclusively(_:)`` or ``withWriter(_:)``, when the writing connection is also needed outside a
  /// transaction.
  public func transactionInTurn<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
    try withWriteTurn(connection) { begun in
      try connection.transaction(.immediate) {
        begun()
        return try body()
      }
    }
  }

  /// Runs a statement that takes the write lock itself and cannot run in a transaction, such as `VACUUM`, in this
  /// process's turn. Call it inside ``withWriter(_:)``. Other writers wait until it has ended, and fail after
  /// ``DatabaseSettings/busyTimeout``.
  public func executeInTurn(_ sql: String, on connection: Connection) throws {
    try withWriteTurn(connection) { _ in try connection.execute(sql) }
  }

  /// SQLite itself ends a transaction on some errors, for example when the disk is full. The statements after that must
  /// not be stored alone.
  private static var transactionLostError: SQLiteError {
    SQLiteError.refused(
      .transactionLost, code: SQLITE_ABORT, "the transaction that this is part of has ended", context: "writing")
  }

  /// Throws if the transaction that was begun in ``exclusively(_:)`` is no longer open.
  ///
  /// - Throws: ``SQLiteError`` with the reason ``SQLiteError/Reason/transactionLost``.
  public func requireTransaction() throws {
    try withWriter { connection in if !connection.isInTransaction { throw Database.transactionLostError } }
  }

  /// Runs the body on the writing connection without a transaction: for several transactions in a row, and for
  /// statements that cannot run in one.
  public func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let context = "waiting to write"
    guard !isReadOnly else {
      throw SQLiteError.refused(
        .readOnlyDatabase, code: SQLITE_READONLY, "the database was opened for reading", context: context)
    }
    if writeLock.isHeldByCurrentThread {
      if isExclusive, let writer { return try body(writer) }
      // In memory this thread may hold the lock as a reader.
      guard isInMemory, !isWriting else {
        throw SQLiteError.refused(
          .recursiveWrite, code: SQLITE_MISUSE, "this thread is writing already", context: context)
      }
      return try performWrite(body)
    }
    try enterWriteLock(context: context)
    // A reader of a database in memory that was checked out in the body and not returned keeps the lock until it is
    // returned.
    defer { if sharedReaderCount == 0 { writeLock.leave() } }
    return try performWrite(body)
  }

  private func performWrite<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let writer else { throw SQLiteError.closed(context: "writing") }
    try checkWriting(writer, context: "writing")
    isWriting = true
    defer {
      isWriting = false
      // A body that began a transaction of its own and did not end it must not pass it on to the next write.
      writer.rollbackOpenTransaction()
      restartLogIfLong(writer)
      #if DEBUG
        _checkInvariants()
      #endif
    }
    return try body(writer)
  }

  func enterWriteLock(context: String) throws {
    guard writeLock.enter(timeout: settings.queueTimeout) else {
      throw SQLiteError.refused(
        .timedOut, code: SQLITE_BUSY, "the queue did not reach this thread within \(settings.queueTimeout)",
        context: context)
    }
  }

  /// Moves the whole log into the file as the program ends, so that the file alone holds everything. Waits for a moment
  /// at most. If it fails, the next process to open the file does it.
  public func checkpointAtExit() {
    guard !isReadOnly, !isInMemory, !writeLock.isHeldByCurrentThread,
      writeLock.enter(timeout: DatabaseSettings.exitTimeout)
    else { return }
    defer { writeLock.leave() }
    // A log that another program has put next to the file would be replayed into the file after the checkpoint.
    guard let writer, (try? checkWriting(writer, context: "ending")) != nil else { return }
    writer.setBusyTimeout(DatabaseSettings.exitTimeout)
    try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// The number of threads that wait to write.
  public var waitingWriterCount: Int { writeLock.waiterCount }

  /// Whether a thread of this process, or another process that uses this library, waits to write. A caller with many
  /// writes can check it to let other writers proceed between them.
  public var hasWaitingWriters: Bool { writeLock.waiterCount > 0 || signal?.hasWaitingWriter ?? false }

  /// How thoroughly ``checkpoint(_:)`` moves the log into the database.
  public enum Checkpoint: Sendable {
    /// As much as possible without waiting for readers or writers.
    case passive
    /// Everything: waits for readers, and truncates the log to zero bytes.
    case truncate
  }

  /// Moves the write-ahead log into the database.
  ///
  /// - Returns: The number of frames in the log, and how many of them are now in the database. The second is smaller if
  ///   a reader holds a snapshot.
  @discardableResult
  public func checkpoint(_ mode: Checkpoint = .passive) throws -> (frames: Int64, moved: Int64) {
    try withWriter { connection in
      let sql = mode == .passive ? "PRAGMA wal_checkpoint(PASSIVE)" : "PRAGMA wal_checkpoint(TRUNCATE)"
      return try connection.withStatement(for: sql) { statement in
        guard try statement.step() else { return (0, 0) }
        return (statement.int64(1), statement.int64(2))
      }
    }
  }
}
