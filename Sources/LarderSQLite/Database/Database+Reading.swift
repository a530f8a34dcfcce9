internal import CSQLite

extension Database {
  /// Runs the body on a reading connection, inside one snapshot.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reader = try checkout()
    defer { checkin(reader) }
    try reader.beginSnapshot()
    return try body(reader.connection)
  }

  /// Takes a reading connection, for as long as the caller likes; give it back by ``checkin(_:)``.
  ///
  /// Up to ``Settings/maximumReaders`` are opened as they are needed; beyond that callers wait in the order of their
  /// arrival, at most ``Settings/queueLimit``.
  ///
  /// In memory, and inside ``exclusively(_:)``, it is the one connection: give it back soon, and on the same thread.
  public func checkout() throws -> ReaderConnection { try checkout(brief: false) }

  /// - Parameter brief: Whether only the log's index is looked at, before a write that looks at all.
  package func checkout(brief: Bool) throws -> ReaderConnection {
    if isInMemory || (writeLock.isMine && isHeld) { return try checkoutShared() }
    let context = "waiting for a reader"
    guard permits.enter(limit: settings.queueLimit) else {
      throw SQLiteError.refused(
        .waitedTooLong, code: SQLITE_BUSY, "no reader was free within \(settings.queueLimit)", context: context)
    }
    return try takeReader(context: context, brief: brief)
  }

  /// Takes one with a permit that the caller has.
  private func takeReader(context: String, brief: Bool = false) throws -> ReaderConnection {
    do {
      switch pool.take() {
      case .closed: throw SQLiteError.closed(context: context)
      case .empty:
        try checkReading(context: "reading")
        return try openReader()
      case .reader(let reader):
        do {
          try brief ? checkIndex(context: "reading") : checkReading(context: "reading")
        } catch {
          if !pool.put(reader) { reader.connection.close() }
          throw error
        }
        reader.isCheckedOut = true
        return reader
      }
    } catch {
      permits.leave()
      throw error
    }
  }

  /// Runs the body on a reading connection beside one that the caller may have, for one brief question: it waits for nobody,
  /// since others may wait for the caller's. Where none is free another one is opened.
  public func readBeside<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if isInMemory || (writeLock.isMine && isHeld) { return try on(checkoutShared(), body) }
    if permits.enter(limit: .zero) { return try on(takeReader(context: "reading"), body) }
    let connection = try openConnection()
    defer { connection.close() }
    return try body(connection)
  }

  private func on<Result>(_ reader: ReaderConnection, _ body: (Connection) throws -> Result) throws -> Result {
    defer { checkin(reader) }
    return try body(reader.connection)
  }

  /// Gives a reading connection back. Its snapshot ends, and its statements are reset.
  public func checkin(_ reader: ReaderConnection) {
    guard reader.isCheckedOut else { return }
    reader.isCheckedOut = false
    if reader.isShared { return leaveShared() }
    reader.connection.resetStatements()
    reader.connection.rollbackWhateverIsOpen()
    if !pool.put(reader) { reader.connection.close() }
    permits.leave()
  }

  private func openReader() throws -> ReaderConnection {
    ReaderConnection(connection: try openConnection(), place: .pool(permits))
  }

  private func openConnection() throws -> Connection {
    try checkPlace(context: "opening a reader")
    let connection = try Connection(
      path: still?.uri ?? path ?? "", access: isReadOnly ? .readOnly : .readWrite, isURI: still != nil, vfs: vfs)
    connection.isStill = still != nil
    try connection.configure(settings, role: .reader, validate: { _ in })
    try prepare(connection)
    return connection
  }

  private func checkoutShared() throws -> ReaderConnection {
    if !writeLock.isMine { try enterWriteLock(context: "waiting to read") }
    guard let writer else {
      if sharedReaders == 0, !isWriting { writeLock.leave() }
      throw SQLiteError.closed(context: "reading")
    }
    sharedReaders += 1
    return ReaderConnection(connection: writer, place: .memory(self))
  }

  /// One reader of a database in memory fewer; the last one leaves the lock.
  func leaveShared() {
    sharedReaders -= 1
    if sharedReaders == 0, !isWriting { writeLock.leave() }
  }
}
