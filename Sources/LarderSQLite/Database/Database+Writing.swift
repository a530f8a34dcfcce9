internal import CSQLite

extension Database {
  /// Runs the body in a transaction on the writing connection, after those who came before.
  ///
  /// Committed when the body returns, rolled back when it throws. A transaction that is immediate from its beginning
  /// waits for other processes in short pauses, up to ``DatabaseSettings/busyTimeout``.
  ///
  /// - Parameters:
  ///   - body: The work.
  ///   - committed: Called after the commit, before anybody else of this process can write; not inside
  ///     ``exclusively(_:)``, where the end of the body commits nothing.
  ///   - failed: The same where nothing was committed.
  /// - Throws: What the body throws, or ``SQLiteError``; with ``SQLiteError/Reason/recursiveWrite`` inside another
  ///   write of this thread, and ``SQLiteError/Reason/timedOut`` after ``DatabaseSettings/queueTimeout``.
  public func write<Result>(
    _ body: (Connection) throws -> Result, committed: (Connection) -> Void = { _ in }, failed: () -> Void = {}
  ) throws -> Result {
    try withWriter { connection in
      // Inside `exclusively` there is one already.
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

  /// Runs the body in a transaction if that can begin soon, whoever's turn it is: for what need not be done.
  ///
  /// - Parameter limit: The longest wait for another process's lock.
  /// - Throws: What the body throws, or ``SQLiteError``: with the code `busy` where another process holds the lock.
  public func tryWrite<Result>(within limit: Duration, _ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in
      connection.setBusyTimeout(limit)
      defer { connection.setBusyTimeout(settings.busyTimeout) }
      return try connection.transaction(.immediate) { try body(connection) }
    }
  }

  /// Has the body begin to write in its turn, where other processes write, too.
  ///
  /// - Parameter body: It is given what is to be called when the write lock is taken.
  private func withWriteTurn<Result>(_ connection: Connection, _ body: (_ begun: () -> Void) throws -> Result) throws
    -> Result
  {
    guard let signal else { return try body({}) }
    var turn = signal.awaitTurn(timeout: turnTimeout)
    if turn == .none {
      // Nobody has had to wait so far. If this one has to, it says so, for others to let it take its turn.
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
      // Both waits together are no longer than the limit. Nobody else asks as often then.
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

  /// Runs the body while this thread has the database to itself: on it, reads and writes of any kind use the writing
  /// connection until the body ends, and take part in the transaction that the body has begun there. For work that must
  /// be done as a whole and goes through layers that know nothing of it.
  ///
  /// Other threads that write wait; those that read see the last commit.
  public func exclusively<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in
      let wasHeld = isExclusive
      isExclusive = true
      defer { isExclusive = wasHeld }
      return try body(connection)
    }
  }

  /// Runs the body in an immediate transaction that begins in this process's turn, where others write, too. For what needs
  /// the writing connection outside a transaction as well: inside ``exclusively(_:)`` or ``withWriter(_:)``.
  public func transactionInTurn<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
    try withWriteTurn(connection) { begun in
      try connection.transaction(.immediate) {
        begun()
        return try body()
      }
    }
  }

  /// Runs a statement that takes the write lock by itself and cannot be in a transaction, such as `VACUUM`, in this process's
  /// turn, inside ``withWriter(_:)``. Others that want to write wait until it is done, and after
  /// ``DatabaseSettings/busyTimeout`` fail.
  public func executeInTurn(_ sql: String, on connection: Connection) throws {
    try withWriteTurn(connection) { _ in try connection.execute(sql) }
  }

  /// SQLite itself ends a transaction on some errors, a full disk for one. What follows must not be stored by itself.
  private static var transactionLostError: SQLiteError {
    SQLiteError.refused(
      .transactionLost, code: SQLITE_ABORT, "the transaction that this is part of has ended", context: "writing")
  }

  /// Throws where the transaction that was begun in ``exclusively(_:)`` is there no more.
  public func requireTransaction() throws {
    try withWriter { connection in if !connection.isInTransaction { throw Database.transactionLostError } }
  }

  /// Runs the body on the writing connection without a transaction: for several in a row, and for statements that
  /// cannot be in one.
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
    // A reader of a database in memory that was taken inside and not given back keeps the lock until it is.
    defer { if sharedReaderCount == 0 { writeLock.leave() } }
    return try performWrite(body)
  }

  private func performWrite<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let writer else { throw SQLiteError.closed(context: "writing") }
    try checkWriting(writer, context: "writing")
    isWriting = true
    defer {
      isWriting = false
      // A body that began a transaction of its own and failed to end it must not hand it to the next.
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

  /// Moves the whole log into the file as the program ends, so that the file alone holds everything. Waits for nobody
  /// longer than a moment, and what fails is done by whoever opens the file next.
  public func checkpointAtExit() {
    guard !isReadOnly, !isInMemory, !writeLock.isHeldByCurrentThread,
      writeLock.enter(timeout: DatabaseSettings.exitTimeout)
    else { return }
    defer { writeLock.leave() }
    // A log that another program has put beside the file would be played into what is moved there.
    guard let writer, (try? checkWriting(writer, context: "ending")) != nil else { return }
    writer.setBusyTimeout(DatabaseSettings.exitTimeout)
    try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// How many threads wait to write.
  public var waitingWriterCount: Int { writeLock.waiterCount }

  /// Whether anybody waits to write, here or in another process that has this library. For whoever writes much and would let
  /// others come between.
  public var hasWaitingWriters: Bool { writeLock.waiterCount > 0 || signal?.hasWaitingWriter ?? false }

  /// How thoroughly to move the log into the database.
  public enum Checkpoint: Sendable {
    /// As far as possible without waiting for anybody.
    case passive
    /// Everything, waiting for readers, and cuts the log to nothing.
    case truncate
  }

  /// Moves the write-ahead log into the database.
  ///
  /// - Returns: Frames in the log, and how many of them are in the database now. Fewer when a reader holds a snapshot.
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
