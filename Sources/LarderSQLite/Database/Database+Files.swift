extension Database {
  /// Throws where the path has another file by now, or none, or the log beside it: a new reader would read a database that
  /// is not this one.
  func checkPlace(context: String) throws {
    if let still { return try checkStillness(still, context) }
    if let damage = files?.replaced() { throw Database.replaced(damage, context: context) }
  }

  /// Throws where what is read may be wrong, since the log is not beside the file any more: another process that opens the
  /// file would write with a log of its own. A file without a name is opened by nobody else, and what was open reads it as it
  /// is; where nothing is written, which would notice that, reading does.
  package func checkReading(context: String) throws {
    if let still { return try checkStillness(still, context) }
    guard let damage = isReadOnly ? files?.replaced() : files?.companionReplacedBesideFile() else { return }
    // What has been committed is not to be lost with this process.
    if !isReadOnly, !writeLock.isMine, writeLock.enter(limit: Settings.exitLimit) {
      rescueLog()
      writeLock.leave()
    }
    throw Database.replaced(damage, context: context)
  }

  /// Throws where the log's index cannot be looked at.
  package func checkIndex(context: String) throws {
    if let damage = files?.indexReplaced() { throw Database.replaced(damage, context: context) }
  }

  /// Throws where what is committed now would be in a file that nobody can open again. On the thread that writes.
  func checkWriting(_ writer: Connection, context: String) throws {
    guard let files else { return }
    if damage == nil {
      guard let found = files.damaged(writer, since: &contents) else { return }
      if found == .logReplaced || found == .indexReplaced { rescueLog() }
      guard found.mayBeCovered else { throw Database.replaced(found, context: context) }
      damage = found
    }
    if let damage { throw Database.replaced(damage, context: context) }
  }

  /// Moves a log that has lost its name into the file, so that what was committed before is there for whoever opens it next.
  private func rescueLog() {
    guard let files, let writer, damage == nil, files.isLogNameless else { return }
    writer.setBusyLimit(Settings.exitLimit)
    defer { writer.setBusyLimit(settings.busyLimit) }
    try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
