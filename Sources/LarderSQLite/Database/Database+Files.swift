extension Database {
  /// Throws where the path has another file by now, or none, or the log beside it: a new reader would read a database that
  /// is not this one.
  func checkPath(context: String) throws {
    if let immutableFile { return try checkImmutability(immutableFile, context) }
    if let damage = openedFiles?.detectReplacement() { throw Database.fileReplacedError(damage, context: context) }
  }

  /// Throws where what is read may be wrong, since the log is not beside the file any more: another process that opens the
  /// file would write with a log of its own. A file without a name is opened by nobody else, and what was open reads it as it
  /// is; where nothing is written, which would notice that, reading does.
  package func checkReading(context: String) throws {
    if let immutableFile { return try checkImmutability(immutableFile, context) }
    guard let damage = isReadOnly ? openedFiles?.detectReplacement() : openedFiles?.detectCompanionReplacementOnly()
    else { return }
    // What has been committed is not to be lost with this process.
    if !isReadOnly, !writeLock.isHeldByCurrentThread, writeLock.enter(timeout: DatabaseSettings.exitTimeout) {
      checkpointUnlinkedLog()
      writeLock.leave()
    }
    throw Database.fileReplacedError(damage, context: context)
  }

  /// Throws where the log's index cannot be looked at.
  package func checkIndex(context: String) throws {
    if let damage = openedFiles?.detectIndexReplacement() { throw Database.fileReplacedError(damage, context: context) }
  }

  /// Throws where what is committed now would be in a file that nobody can open again. On the thread that writes.
  func checkWriting(_ writer: Connection, context: String) throws {
    guard let openedFiles else { return }
    if damage == nil {
      guard let found = openedFiles.detectDamage(writer, since: &lastContents) else { return }
      if found == .logReplaced || found == .indexReplaced { checkpointUnlinkedLog() }
      guard found.mayBeMasked else { throw Database.fileReplacedError(found, context: context) }
      damage = found
    }
    if let damage { throw Database.fileReplacedError(damage, context: context) }
  }

  /// Moves a log that has lost its name into the file, so that what was committed before is there for whoever opens it next.
  private func checkpointUnlinkedLog() {
    guard let openedFiles, let writer, damage == nil, openedFiles.isLogUnlinked else { return }
    writer.setBusyTimeout(DatabaseSettings.exitTimeout)
    defer { writer.setBusyTimeout(settings.busyTimeout) }
    try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
