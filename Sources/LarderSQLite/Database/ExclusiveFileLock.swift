internal import CLarderSQLite
internal import CSQLite

/// An exclusive lock on a file: no other connection reads or writes it as a database until the lock ends, even if the
/// file is renamed. The file need not be a database, or may be damaged.
///
/// A connection that has opened the file without reading it yet waits, and later gets an error that the file was
/// replaced: SQLite refuses to write a file that has lost its name, and ``Database`` refuses to open one.
package final class ExclusiveFileLock {
  private let file: Connection

  /// The longest wait for a reader of the file.
  private static let timeout = Duration.milliseconds(200)

  /// The codes that SQLite returns for a file that is not a database or is damaged: a header, a schema or a page that
  /// cannot be read.
  private static let damageCodes: [ResultCode] = [.notADatabase, .corrupt, .error]

  /// Locks the file.
  ///
  /// - Parameters:
  ///   - path: An existing file.
  ///   - isReplaced: Whether another file is to take its name. If so, the log is moved into the file first: a
  ///     connection that opens the new file would replay the log into it.
  /// - Throws: ``SQLiteError``, with the code `busy` if another connection has the file open.
  init(_ path: String, vfs: String?, isReplaced: Bool) throws {
    file = try Connection(path: path, access: isReplaced ? .create : .readWrite, vfs: vfs)
    do {
      file.setBusyTimeout(ExclusiveFileLock.timeout)
      var isAlone = true
      if isReplaced {
        do {
          isAlone = try file.string("PRAGMA journal_mode = DELETE") == "delete"
        } catch let error as SQLiteError where ExclusiveFileLock.damageCodes.contains(error.code) {
          // No log could repair it; but another connection may be using the part that it has read.
        }
        // The log with this name may belong to the other file later.
        larder_db_config_flag(file.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
      }
      guard try isAlone && file.lockExclusively(within: ExclusiveFileLock.timeout) else {
        throw SQLiteError.refused(
          .timedOut, code: SQLITE_BUSY, "the file to be replaced is open", context: "replacing a file")
      }
    } catch {
      file.close()
      throw error
    }
  }

  deinit { unlock() }

  package func unlock() { file.close() }
}

extension Connection {
  /// Returns whether this connection has locked the file, which need not be a database, for itself. The lock lasts
  /// until the connection is closed.
  fileprivate func lockExclusively(within limit: Duration) throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      let code = larder_lock_alone(handle)
      if code == SQLITE_OK { return true }
      guard code & 0xFF == SQLITE_BUSY else {
        throw SQLiteError(database: nil, code: code, context: "locking a file that is to be replaced")
      }
      if ContinuousClock.now >= deadline { return false }
      sqlite3_sleep(5)
    }
  }

  /// Whether the name that the connection was opened by refers to another file or to none, as far as the file system
  /// reports.
  var hasMoved: Bool {
    guard isOpen else { return false }
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }
}
