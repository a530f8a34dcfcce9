internal import CSQLite

extension Database {
  /// Copies the current state of the database into a new file while other threads and processes read and write. Commits
  /// that happen during the copy are not included. When this function returns, the file is complete and synced to the
  /// disk.
  ///
  /// - Parameters:
  ///   - path: The target file. An existing file is overwritten, unless it is another database that is in use.
  ///   - progress: Called with the number of copied pages and the number of all pages. If it throws, the copy ends.
  /// - Throws: ``SQLiteError``, or the error of `progress`. The target file is incomplete then; remove it.
  public func copy(to path: String, progress: (_ copied: Int64, _ all: Int64) throws -> Void) throws {
    let reader = try checkOut()
    defer { checkIn(reader) }
    try reader.beginSnapshot()
    // Read once, so that the snapshot is taken now and lasts. Without it each step could see another commit and start
    // again.
    _ = try reader.connection.int64("SELECT count(*) FROM sqlite_schema")
    try reader.connection.copy(to: path, vfs: vfs, progress: progress)
  }

  /// Returns whether the path names the database's own file, under any name: its current one, or the one it was opened
  /// by.
  public func isFile(at path: String) -> Bool {
    guard let there = FileKey(path) else { return false }
    return there == fileIdentity || there == self.path.flatMap { FileKey($0) }
  }

  /// Locks a file for one connection alone, so that it can be replaced or can replace another file; see
  /// ``ExclusiveFileLock``.
  package func lockExclusively(_ path: String, isReplaced: Bool) throws -> ExclusiveFileLock {
    try ExclusiveFileLock(path, vfs: vfs, isReplaced: isReplaced)
  }
}

extension Connection {
  /// Pages that are copied between two calls of `progress`: 4 MiB, some milliseconds.
  private static let backupPages: Int32 = 1_024

  /// Copies the database as this connection sees it, in one snapshot; see ``Database/copy(to:progress:)``.
  public func copy(
    to path: String, vfs: String?, progress: (_ copied: Int64, _ all: Int64) throws -> Void
  ) throws {
    let copy = try Connection(path: path, access: .create, vfs: vfs)
    defer { copy.close() }
    try copy.execute("PRAGMA synchronous = FULL")
    let context = "copying a database"
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw SQLiteError(database: copy.handle, code: sqlite3_extended_errcode(copy.handle), context: context)
    }
    var isOpen = true
    defer { if isOpen { sqlite3_backup_finish(backup) } }
    while true {
      let code = sqlite3_backup_step(backup, Connection.backupPages)
      let all = Int64(sqlite3_backup_pagecount(backup))
      guard code == SQLITE_OK || code == SQLITE_DONE else {
        throw SQLiteError(database: nil, code: code, context: context)
      }
      try progress(all - Int64(sqlite3_backup_remaining(backup)), all)
      if code == SQLITE_DONE { break }
    }
    isOpen = false
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw SQLiteError(database: copy.handle, code: code, context: context) }
  }
}
