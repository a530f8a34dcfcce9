import LarderSQLite
import LarderSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

#if os(Linux)
  /// `setfsuid`, which the system's module does not declare: this thread's rights to files become those of "nobody".
  private func becomeNobodyOnThisThread() {
    guard let symbol = dlsym(nil, "setfsuid") else { return }
    _ = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)(65_534)
  }
#endif

@Suite struct FileTests {
  let folder = TemporaryFolder()

  @Test func onlyTheOwnerMayRead() throws {
    let database = try Database(path: folder.file())
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    #expect(folder.names == ["test.store", "test.store-shm", "test.store-wal"])
    for name in folder.names { #expect(folder.mode(name) == 0o600, "\(name)") }
  }

  /// Several processes may find no file, make it, and switch it to the log at the same moment.
  @Test func manyOpenANewFileAtOnce() throws {
    // Each waits for the others' first write, which on a busy machine takes long.
    var settings = DatabaseSettings()
    settings.busyTimeout = .seconds(60)
    let patient = settings
    for round in 0..<8 {
      let path = folder.file("new-\(round)")
      let failures = Locked<[String]>([])
      let threads = (0..<6).map { number in
        onThread {
          do {
            let database = try Database(path: path, settings: patient)
            try database.write { connection in
              try connection.execute("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (\(number))")
            }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
      for thread in threads { pthread_join(thread, nil) }
      #expect(failures.withLock { $0 } == [])
      #expect(try Database(path: path).read { try $0.int64("SELECT count(*) FROM t") } == 6)
    }
  }

  /// What has been read belongs to a file that has no name any more, and the log beside the name to another one.
  @Test(arguments: [Connection.Access.readOnly, .readWrite])
  func whatIsReplacedWhileItIsOpenedIsRefused(_ access: Connection.Access) throws {
    for name in ["test.store", "other"] {
      let made = try Connection(path: folder.file(name))
      try made.execute("CREATE TABLE t(a); INSERT INTO t VALUES ('\(name)')")
      made.close()
    }
    let error = #expect(throws: SQLiteError.self) {
      try Database(path: folder.file(), access: access) { _ in
        #expect(rename(folder.file("other"), folder.file()) == 0)
      }
    }
    #expect(error?.reason == .fileReplaced)
    let database = try Database(path: folder.file(), access: access)
    #expect(try database.read { try $0.string("SELECT a FROM t") } == "other")
  }

  @Test func missingFoldersAreMade() throws {
    let inner = folder.file("a")
    let database = try Database(path: inner + "/b/test.store")
    #expect(folder.mode("a") == 0o700)
    #expect(folder.mode("a/b") == 0o700)
    #expect(folder.mode("a/b/test.store") == 0o600)
    database.close()
    unlink(inner + "/b/test.store")
    rmdir(inner + "/b")
    rmdir(inner)
  }

  @Test func theSettingsHold() throws {
    let database = try Database(path: folder.file())
    try database.withWriter { connection in
      #expect(try connection.string("PRAGMA journal_mode") == "wal")
      #expect(try connection.int64("PRAGMA synchronous") == 2)
      #expect(try connection.int64("PRAGMA foreign_keys") == 1)
      #expect(try connection.int64("PRAGMA cell_size_check") == 1)
      #expect(try connection.int64("PRAGMA trusted_schema") == 0)
      #expect(try connection.int64("PRAGMA cache_size") == Int64(-DatabaseSettings.defaultCacheKibibytes))
      #expect(try connection.int64("PRAGMA journal_size_limit") == DatabaseSettings.defaultJournalSizeLimit)
      // Defensive: the schema table cannot be written.
      #expect(throws: SQLiteError.self) {
        try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''")
      }
      // A column in double quotes is no text.
      #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"no column\"") }
      try connection.execute("CREATE TABLE t(a); VACUUM")
    }
    var relaxed = DatabaseSettings()
    relaxed.durability = .relaxed
    database.close()
    let second = try Database(path: folder.file(), settings: relaxed)
    #expect(try second.withWriter { try $0.int64("PRAGMA synchronous") } == 1)
  }

  @Test func readOnly() throws {
    do {
      let database = try Database(path: folder.file())
      try database.write { try $0.execute("CREATE TABLE t(a)") }
      database.close()
    }
    let before = folder.bytes()
    let database = try Database(path: folder.file(), access: .readOnly)
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 0)
    let error = #expect(throws: SQLiteError.self) { try database.write { _ in } }
    #expect(error?.reason == .readOnlyDatabase)
    database.close()
    #expect(folder.bytes() == before)
    #expect(throws: SQLiteError.self) { try Database(path: folder.file("none"), access: .readOnly) }
    #expect(throws: SQLiteError.self) { try Database(path: folder.file("none"), access: .readWrite) }
    #expect(!folder.names.contains("none"))
  }

  @Test func whereNothingCanBeMade() throws {
    folder.write([1], to: "file")
    for path in [folder.file("file") + "/test.store", "/proc/none/test.store", folder.path] {
      let error = #expect(throws: SQLiteError.self) { try Database(path: path) }
      #expect(error?.code == .cantOpen, "\(path)")
      #expect(error?.advice.isEmpty == false)
    }
  }

  #if os(Linux)
    /// As another user: root may do everything, so permissions would show nothing.
    @Test func whatAnotherUserMayNotDo() throws {
      do {
        let database = try Database(path: folder.file())
        try database.write { try $0.execute("CREATE TABLE t(a)") }
        database.close()
      }
      let path = folder.file()
      let new = folder.file("new.store")
      let before = folder.bytes()
      func attempt(_ mode: mode_t, _ folderMode: mode_t, _ body: @escaping @Sendable () throws -> Void) -> ResultCode? {
        chmod(path, mode)
        chmod(folder.path, folderMode)
        defer { chmod(folder.path, 0o700) }
        let code = Box<ResultCode?>(nil)
        let thread = onThread {
          // For this thread alone.
          if geteuid() == 0 { becomeNobodyOnThisThread() }
          do { try body() } catch { code.value = (error as? SQLiteError)?.code }
        }
        pthread_join(thread, nil)
        return code.value
      }
      #expect(attempt(0o000, 0o755) { _ = try Database(path: path) } == .cantOpen)
      #expect(attempt(0o000, 0o755) { _ = try Database(path: path, access: .readOnly) } == .cantOpen)
      #expect(attempt(0o444, 0o777) { _ = try Database(path: path) } == .readOnly)
      #expect(attempt(0o600, 0o755) { _ = try Database(path: new) } == .cantOpen)
      #expect(folder.bytes() == before)
      #expect(folder.names == ["test.store"])
    }
  #endif

  @Test func afterClosing() throws {
    for database in try [folder.database(), Database(inMemory: DatabaseSettings())] {
      let reader = try database.isInMemory ? nil : database.checkOut()
      database.close()
      database.close()
      if let reader { database.checkIn(reader) }
      let write = #expect(throws: SQLiteError.self) { try database.write { _ in } }
      #expect(write?.reason == .closed)
      let read = #expect(throws: SQLiteError.self) { try database.read { _ in } }
      #expect(read?.reason == .closed)
    }
    #expect(folder.names == ["test.store"])
  }
}
