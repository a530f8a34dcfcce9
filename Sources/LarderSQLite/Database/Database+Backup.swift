internal import CSQLite

extension Database {
  /// Copies the database as it is now into a new file, while others read and write. What is committed meanwhile is not in
  /// it. The file is whole, and on the disk, when this returns.
  ///
  /// - Parameters:
  ///   - path: The file; what is there is overwritten, unless it is another database's that somebody uses.
  ///   - progress: Told of the pages that were copied, and of all there are; ends the copying by throwing.
  /// - Throws: ``SQLiteError``, or what `progress` throws. What was written by then is of no use; remove it.
  public func copy(to path: String, progress: (_ copied: Int64, _ all: Int64) throws -> Void) throws {
    let reader = try checkOut()
    defer { checkIn(reader) }
    try reader.beginSnapshot()
    // Reads, so that the snapshot is that of now and lasts: else each part would see another commit, and begin anew.
    _ = try reader.connection.int64("SELECT count(*) FROM sqlite_schema")
    try reader.connection.copy(to: path, vfs: vfs, progress: progress)
  }

  /// Whether a path leads to the database's own file, by whatever name: also where that has another since it was opened.
  public func isFile(at path: String) -> Bool {
    guard let there = FileKey(path) else { return false }
    return there == fileIdentity || there == self.path.flatMap { FileKey($0) }
  }

  /// Takes a file for one connection alone, for it to be replaced or to replace another one; see ``ExclusiveFileLock``.
  package func lockExclusively(_ path: String, isReplaced: Bool) throws -> ExclusiveFileLock {
    try ExclusiveFileLock(path, vfs: vfs, isReplaced: isReplaced)
  }
}

extension Connection {
  /// How many pages are copied between two looks at the progress: 4 MiB, some milliseconds.
  private static let backupPages: Int32 = 1_024

  /// Copies the database as this connection sees it, in a snapshot that lasts; see ``Database/copy(to:progress:)``.
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
