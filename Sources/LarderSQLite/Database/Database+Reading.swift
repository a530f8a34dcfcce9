internal import CSQLite

extension Database {
  /// Runs the body on a reading connection, inside one snapshot.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reader = try checkOut()
    defer { checkIn(reader) }
    try reader.beginSnapshot()
    return try body(reader.connection)
  }

  /// Takes a reading connection, for as long as the caller likes; give it back by ``checkIn(_:)``.
  ///
  /// Up to ``DatabaseSettings/maximumReaders`` are opened as they are needed; beyond that callers wait in the order of their
  /// arrival, at most ``DatabaseSettings/queueTimeout``.
  ///
  /// In memory, and inside ``exclusively(_:)``, it is the one connection: give it back soon, and on the same thread.
  public func checkOut() throws -> ReaderConnection { try checkOut(checksIndexOnly: false) }

  /// - Parameter brief: Whether only the log's index is looked at, before a write that looks at all.
  package func checkOut(checksIndexOnly brief: Bool) throws -> ReaderConnection {
    if isInMemory || (writeLock.isHeldByCurrentThread && isExclusive) { return try checkOutShared() }
    let context = "waiting for a reader"
    guard readerPermits.enter(timeout: settings.queueTimeout) else {
      throw SQLiteError.refused(
        .timedOut, code: SQLITE_BUSY, "no reader was free within \(settings.queueTimeout)", context: context)
    }
    return try obtainReader(context: context, checksIndexOnly: brief)
  }

  /// Takes one with a permit that the caller has.
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

  /// Runs the body on a reading connection beside one that the caller may have, for one brief question: it waits for nobody,
  /// since others may wait for the caller's. Where none is free another one is opened.
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

  /// Gives a reading connection back. Its snapshot ends, and its statements are reset.
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

  /// One reader of a database in memory fewer; the last one leaves the lock.
  func checkInShared() {
    sharedReaderCount -= 1
    if sharedReaderCount == 0, !isWriting { writeLock.leave() }
  }
}
