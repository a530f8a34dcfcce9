internal import CLarderSQLite
internal import CSQLite

/// A file that nobody else reads or writes as a database until this ends, under whatever name it has by then. It may be no
/// database, or a damaged one.
///
/// Whoever has opened the file without reading it yet waits, and is told later that it was replaced: SQLite itself refuses
/// to write a file that has lost its name, and ``Database`` to open one.
package final class ExclusiveFileLock {
  private let file: Connection

  /// How long to wait for somebody who reads the file.
  private static let timeout = Duration.milliseconds(200)

  /// What SQLite says of a file that is no database, or a damaged one: a header, a schema, a page that cannot be read.
  private static let damageCodes: [ResultCode] = [.notADatabase, .corrupt, .error]

  /// - Parameters:
  ///   - path: The file, which is there.
  ///   - isReplaced: Whether another one is to take its name. The log is moved into it then: whoever opens the new file
  ///     would play it into that.
  /// - Throws: ``SQLiteError``, with the code `busy` where somebody has it open.
  init(_ path: String, vfs: String?, isReplaced: Bool) throws {
    file = try Connection(path: path, access: isReplaced ? .create : .readWrite, vfs: vfs)
    do {
      file.setBusyTimeout(ExclusiveFileLock.timeout)
      var isAlone = true
      if isReplaced {
        do {
          isAlone = try file.string("PRAGMA journal_mode = DELETE") == "delete"
        } catch let error as SQLiteError where ExclusiveFileLock.damageCodes.contains(error.code) {
          // No log could make it whole; but somebody may work with what he has read of it.
        }
        // By its name there may be the log of another one then.
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
  /// Whether nobody else uses the file, which need not be a database. It is this connection's alone then, until it is closed.
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

  /// Whether the name that it was opened by leads to another file by now, or to none, as far as the file system tells.
  var hasMoved: Bool {
    guard isOpen else { return false }
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }
}
