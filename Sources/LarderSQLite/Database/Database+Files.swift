extension Database {
  /// Throws if the path names another file or none, or if that is true of the log next to it: a new reader would read a
  /// different database.
  func checkPath(context: String) throws {
    if let immutableFile { return try checkImmutability(immutableFile, context) }
    if let damage = openedFiles?.detectReplacement() { throw Database.fileReplacedError(damage, context: context) }
  }

  /// Throws if a read may return wrong data because the log is no longer next to the file: another process that opens
  /// the file would write to a log of its own. A file that has lost its name cannot be opened by another process, so
  /// open connections may keep reading it. A read-only database has no write that would notice the loss, so its reads
  /// check the name, too.
  package func checkReading(context: String) throws {
    if let immutableFile { return try checkImmutability(immutableFile, context) }
    guard let damage = isReadOnly ? openedFiles?.detectReplacement() : openedFiles?.detectCompanionReplacementOnly()
    else { return }
    // Move the commits of the log into the file, so that they do not disappear with this process.
    if !isReadOnly, !writeLock.isHeldByCurrentThread, writeLock.enter(timeout: DatabaseSettings.exitTimeout) {
      checkpointUnlinkedLog()
      writeLock.leave()
    }
    throw Database.fileReplacedError(damage, context: context)
  }

  /// Throws if the log's index was replaced or truncated.
  package func checkIndex(context: String) throws {
    if let damage = openedFiles?.detectIndexReplacement() { throw Database.fileReplacedError(damage, context: context) }
  }

  /// Throws if a commit would go into a file that cannot be opened again. Called on the writing thread.
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

  /// Moves a log that has lost its name into the file, so that the next process to open the file finds its commits.
  private func checkpointUnlinkedLog() {
    guard let openedFiles, let writer, damage == nil, openedFiles.isLogUnlinked else { return }
    writer.setBusyTimeout(DatabaseSettings.exitTimeout)
    defer { writer.setBusyTimeout(settings.busyTimeout) }
    try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
