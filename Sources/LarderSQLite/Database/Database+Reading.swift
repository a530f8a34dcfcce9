internal import CSQLite

extension Database {
  /// Runs the body on a reading connection, in one snapshot.
  ///
  /// - Throws: The body's error; ``SQLiteError`` with the reason ``SQLiteError/Reason/timedOut`` if no reader is free
  ///   within ``DatabaseSettings/queueTimeout``, or if the file was replaced.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reader = try checkOut()
    defer { checkIn(reader) }
    try reader.beginSnapshot()
    return try body(reader.connection)
  }

  /// Checks out a reading connection. There is no time limit; return it with ``checkIn(_:)``.
  ///
  /// Up to ``DatabaseSettings/maximumReaders`` connections are opened on demand. Beyond that, callers wait in order of
  /// arrival, for at most ``DatabaseSettings/queueTimeout``.
  ///
  /// In memory, and inside ``exclusively(_:)``, the reader is the one writing connection: return it soon, and on the
  /// same thread.
  ///
  /// - Throws: ``SQLiteError``, with the reason ``SQLiteError/Reason/timedOut`` if no reader became free.
  public func checkOut() throws -> ReaderConnection { try checkOut(checksIndexOnly: false) }

  /// Checks out a reading connection; see ``checkOut()``.
  ///
  /// - Parameter brief: Whether to check only the log's index, because a write follows that checks everything.
  package func checkOut(checksIndexOnly brief: Bool) throws -> ReaderConnection {
    if isInMemory || (writeLock.isHeldByCurrentThread && isExclusive) { return try checkOutShared() }
    let context = "waiting for a reader"
    guard readerPermits.enter(timeout: settings.queueTimeout) else {
      throw SQLiteError.refused(
        .timedOut, code: SQLITE_BUSY, "no reader was free within \(settings.queueTimeout)", context: context)
    }
    return try obtainReader(context: context, checksIndexOnly: brief)
  }

  /// Returns a reader for a permit that the caller already holds.
  private func obtainReader(context: String, checksIndexOnly brief: Bool = false) throws -> ReaderConnection {
    do {
      switch readerPool.checkOut() {
      case .closed: throw SQLiteError.closed(context: context)
      case .empty:
        try checkReading(context: "reading")
        return try openReader()
      case .reader(let reader):
        do {
          try brief ? checkIndex(context: "reading") : checkReading(context: "reading")
        } catch {
          if !readerPool.checkIn(reader) { reader.connection.close() }
          throw error
        }
        reader.isCheckedOut = true
        return reader
      }
    } catch {
      readerPermits.leave()
      throw error
    }
  }

  /// Runs the body on an additional reading connection, for one short query, while the caller may hold a reader
  /// already. The call never waits, since other threads may be waiting for the caller's reader. If no reader is free, a
  /// temporary connection is opened.
  public func reentrantRead<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if isInMemory || (writeLock.isHeldByCurrentThread && isExclusive) { return try withReader(checkOutShared(), body) }
    if readerPermits.enter(timeout: .zero) { return try withReader(obtainReader(context: "reading"), body) }
    let connection = try openConnection()
    defer { connection.close() }
    return try body(connection)
  }

  private func withReader<Result>(_ reader: ReaderConnection, _ body: (Connection) throws -> Result) throws -> Result {
    defer { checkIn(reader) }
    return try body(reader.connection)
  }

  /// Returns a reading connection to the pool, ends its snapshot and resets its statements.
  public func checkIn(_ reader: ReaderConnection) {
    guard reader.isCheckedOut else { return }
    reader.isCheckedOut = false
    if reader.isShared { return checkInShared() }
    reader.connection.resetStatements()
    reader.connection.rollbackOpenTransaction()
    if !readerPool.checkIn(reader) { reader.connection.close() }
    readerPermits.leave()
  }

  private func openReader() throws -> ReaderConnection {
    ReaderConnection(connection: try openConnection(), origin: .pool(readerPermits))
  }

  private func openConnection() throws -> Connection {
    try checkPath(context: "opening a reader")
    let connection = try Connection(
      path: immutableFile?.uri ?? path ?? "", access: isReadOnly ? .readOnly : .readWrite, isURI: immutableFile != nil,
      vfs: vfs)
    connection.isImmutable = immutableFile != nil
    try connection.configure(settings, role: .reader, validate: { _ in })
    try prepareConnection(connection)
    return connection
  }

  private func checkOutShared() throws -> ReaderConnection {
    if !writeLock.isHeldByCurrentThread { try enterWriteLock(context: "waiting to read") }
    guard let writer else {
      if sharedReaderCount == 0, !isWriting { writeLock.leave() }
      throw SQLiteError.closed(context: "reading")
    }
    sharedReaderCount += 1
    return ReaderConnection(connection: writer, origin: .memory(self))
  }

  /// Ends one read of a database in memory; the last one releases the write lock.
  func checkInShared() {
    sharedReaderCount -= 1
    if sharedReaderCount == 0, !isWriting { writeLock.leave() }
  }
}
