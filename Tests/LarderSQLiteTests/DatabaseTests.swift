import LarderSQLite
import LarderTesting
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

private final class Box<Value>: @unchecked Sendable {
  // Guarded by the mutex that its users hold, or used by one thread at a time.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A thread of its own: tests that block must not starve the concurrency pool.
private func onThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box<@Sendable () -> Void>>.fromOpaque(argument).takeRetainedValue().value()
      return nil
    }, box.toOpaque())
  return thread
}

@Suite struct DatabaseTests {
  let folder = TemporaryFolder()

  private func open(_ settings: Settings = Settings()) throws -> Database {
    let database = try Database(path: folder.file(), settings: settings)
    try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER) STRICT") }
    return database
  }

  // MARK: Writing

  @Test(arguments: [true, false]) func writersAreServedInTheOrderOfTheirArrival(inMemory: Bool) throws {
    let database = try inMemory ? Database(inMemory: Settings()) : open()
    let order = Mutex<[Int]>([])
    var threads: [pthread_t] = []
    try database.withWriter { _ in
      for number in 0..<12 {
        threads.append(onThread { try? database.withWriter { _ in order.withLock { $0.append(number) } } })
        // The next thread starts once this one is in the queue.
        while database.waitingWriters <= number { sched_yield() }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(order.withLock { $0 } == Array(0..<12))
  }

  @Test(arguments: [true, false]) func aWriteInsideAWriteIsRefused(inMemory: Bool) throws {
    let database = try inMemory ? Database(inMemory: Settings()) : open()
    try database.write { connection in
      let error = #expect(throws: SQLiteError.self) { try database.write { _ in } }
      #expect(error?.condition == .recursiveWrite)
      try connection.execute("CREATE TABLE u(a)")
    }
    try database.write { try $0.execute("INSERT INTO u VALUES (1)") }
  }

  @Test func waitingHasALimit() throws {
    var settings = Settings()
    settings.queueLimit = .milliseconds(5)
    let database = try open(settings)
    let failure = Box<SQLiteError?>(nil)
    try database.withWriter { _ in
      let thread = onThread {
        do { try database.write { _ in } } catch { failure.value = error as? SQLiteError }
      }
      pthread_join(thread, nil)
    }
    #expect(failure.value?.condition == .waitedTooLong)
    #expect(failure.value?.code == .busy)
    // Who gave up is no longer in the queue.
    #expect(database.waitingWriters == 0)
    try database.write { _ in }
  }

  @Test func manyThreadsLoseNothing() throws {
    let database = try open()
    let threads = (0..<8).map { _ in
      onThread {
        for _ in 0..<50 {
          try? database.write { try $0.execute("INSERT INTO t SELECT coalesce(max(a), 0) + 1 FROM t") }
          _ = try? database.read { try $0.int64("SELECT max(a) FROM t") }
        }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(try database.read { try $0.int64("SELECT max(a) FROM t") } == 400)
  }

  /// Another process, played by a connection of its own.
  @Test func anotherProcessIsWaitedForUpToTheLimit() throws {
    var settings = Settings()
    settings.busyLimit = .milliseconds(10)
    let database = try open(settings)
    let other = try Connection(path: folder.file())
    try other.transaction {
      try other.execute("INSERT INTO t VALUES (1)")
      let error = #expect(throws: SQLiteError.self) { try database.write { _ in } }
      #expect(error?.code == .busy)
      #expect(error?.context == "beginning a transaction")
      #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 0)
    }
    try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 2)
  }

  @Test func anotherProcessThatLetsGoIsOnlyWaitedFor() throws {
    let database = try open()
    let isHeld = Atomic(false)
    let path = folder.file()
    let thread = onThread {
      guard let other = try? Connection(path: path) else { return }
      try? other.transaction {
        isHeld.store(true, ordering: .sequentiallyConsistent)
        usleep(20_000)
        try other.execute("INSERT INTO t VALUES (1)")
      }
    }
    while !isHeld.load(ordering: .sequentiallyConsistent) { sched_yield() }
    #expect(try database.write { try $0.int64("SELECT count(*) FROM t") } == 1)
    pthread_join(thread, nil)
  }

  @Test func aTransactionLeftOpenIsNotHandedOn() throws {
    let database = try open()
    try database.withWriter { try $0.execute("BEGIN; INSERT INTO t VALUES (1)") }
    #expect(try database.write { try $0.int64("SELECT count(*) FROM t") } == 0)
  }

  // MARK: Reading

  @Test func aReaderKeepsItsSnapshot() throws {
    let database = try open()
    let reader = try database.checkout()
    try reader.beginSnapshot()
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 0)
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 0)
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 1)
    reader.endSnapshot()
    #expect(!reader.holdsSnapshot)
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 1)
    database.checkin(reader)
    database.checkin(reader)
  }

  @Test func aReaderInsideAWriteSeesTheLastCommit() throws {
    let database = try open()
    try database.write { connection in
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 0)
    }
  }

  @Test func readersDoNotWrite() throws {
    let database = try open()
    let error = #expect(throws: SQLiteError.self) { try database.read { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(error?.code == .readOnly)
  }

  @Test func aReaderIsUsedAgainAndComesBackClean() throws {
    let database = try open()
    try database.write { try $0.execute("INSERT INTO t VALUES (1), (2)") }
    let first = try database.checkout()
    try first.beginSnapshot()
    let running = try first.connection.statement(for: "SELECT a FROM t")
    #expect(try running.step())
    database.checkin(first)
    #expect(!running.isBusy)
    let second = try database.checkout()
    #expect(second === first)
    #expect(!second.holdsSnapshot)
    database.checkin(second)
  }

  @Test func thePoolGrowsToItsLimitAndThenWaits() throws {
    var settings = Settings()
    settings.maximumReaders = 3
    settings.queueLimit = .milliseconds(5)
    let database = try open(settings)
    var readers = try (0..<3).map { _ in try database.checkout() }
    let error = #expect(throws: SQLiteError.self) { try database.checkout() }
    #expect(error?.condition == .waitedTooLong)
    database.checkin(readers.removeLast())
    database.checkin(try database.checkout())
    // Dropped without being given back: its place is free again.
    readers.removeAll()
    readers = try (0..<3).map { _ in try database.checkout() }
    for reader in readers { database.checkin(reader) }
  }

  @Test func aHeldSnapshotKeepsTheLog() throws {
    let database = try open()
    let reader = try database.checkout()
    try reader.beginSnapshot()
    _ = try reader.connection.int64("SELECT count(*) FROM t")
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    let held = try database.checkpoint()
    #expect(held.moved < held.frames)
    database.checkin(reader)
    let free = try database.checkpoint()
    #expect(free.moved == free.frames)
    #expect(try database.checkpoint(.truncate).frames == 0)
    #expect(folder.bytes("test.store-wal").isEmpty)
  }

  @Test func theLogIsMovedAtItsLimit() throws {
    var settings = Settings()
    settings.checkpointFrames = 20
    let database = try open(settings)
    for _ in 0..<200 { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(folder.bytes("test.store-wal").count < 40 * 4_200)
  }

  // MARK: In memory

  @Test func inMemoryAReadInsideAWriteUsesItsConnection() throws {
    let database = try Database(inMemory: Settings())
    try database.write { connection in
      try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      try database.read { inner in
        #expect(inner === connection)
        #expect(try inner.int64("SELECT count(*) FROM t") == 1)
        try database.read { #expect($0 === connection) }
      }
    }
    try database.read { _ in
      try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 2)
    }
    #expect(database.waitingWriters == 0)
    let thread = onThread { try? database.write { try $0.execute("INSERT INTO t VALUES (3)") } }
    pthread_join(thread, nil)
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 3)
  }

  @Test func inMemoryADroppedReaderLeavesTheLock() throws {
    let database = try Database(inMemory: Settings())
    do { _ = try database.checkout() }
    let kept = try database.checkout()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    database.checkin(kept)
    let wrote = Box(false)
    let thread = onThread { wrote.value = (try? database.write { try $0.execute("INSERT INTO t VALUES (3)") }) != nil }
    pthread_join(thread, nil)
    #expect(wrote.value)
  }

  @Test func databasesInMemoryAreApart() throws {
    let first = try Database(inMemory: Settings())
    let second = try Database(inMemory: Settings())
    try first.write { try $0.execute("CREATE TABLE t(a)") }
    try second.write { try $0.execute("CREATE TABLE t(a)") }
  }

  // MARK: Closing

  @Test func afterClosing() throws {
    for database in try [open(), Database(inMemory: Settings())] {
      let reader = try database.isInMemory ? nil : database.checkout()
      database.close()
      database.close()
      if let reader { database.checkin(reader) }
      let write = #expect(throws: SQLiteError.self) { try database.write { _ in } }
      #expect(write?.condition == .closed)
      let read = #expect(throws: SQLiteError.self) { try database.read { _ in } }
      #expect(read?.condition == .closed)
    }
    #expect(folder.names == ["test.store"])
  }
}

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
    var settings = Settings()
    settings.busyLimit = .seconds(60)
    let patient = settings
    for round in 0..<8 {
      let path = folder.file("new-\(round)")
      let failures = Mutex<[String]>([])
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
      #expect(try connection.int64("PRAGMA cache_size") == Int64(-Settings.defaultCacheKibibytes))
      #expect(try connection.int64("PRAGMA journal_size_limit") == Settings.defaultJournalSizeLimit)
      // Defensive: the schema table cannot be written.
      #expect(throws: SQLiteError.self) {
        try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''")
      }
      // A column in double quotes is no text.
      #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"no column\"") }
      try connection.execute("CREATE TABLE t(a); VACUUM")
    }
    var relaxed = Settings()
    relaxed.durability = .relaxed
    database.close()
    let second = try Database(path: folder.file(), settings: relaxed)
    #expect(try second.withWriter { try $0.int64("PRAGMA synchronous") } == 1)
  }

  @Test func notADatabase() throws {
    var random = SplitMix(seed: 1)
    let garbage = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    folder.write(garbage)
    for access in [Connection.Access.create, .readWrite, .readOnly] {
      let error = #expect(throws: SQLiteError.self) { try Database(path: folder.file(), access: access) }
      #expect(error?.code == .notADatabase)
      #expect(error?.context == "opening a database")
    }
    #expect(folder.bytes() == garbage)
    #expect(folder.names == ["test.store"])
  }

  @Test func aForeignDatabaseIsLeftAsItWas() throws {
    struct Foreign: Error {}
    do {
      let foreign = try Connection(path: folder.file())
      try foreign.execute("CREATE TABLE theirs(a); INSERT INTO theirs VALUES (1)")
    }
    let before = folder.bytes()
    #expect(throws: Foreign.self) {
      try Database(path: folder.file()) { connection in
        if try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'") == 1 { throw Foreign() }
      }
    }
    #expect(folder.bytes() == before)
    #expect(folder.names == ["test.store"])
  }

  @Test func utf16IsRefused() throws {
    do {
      let foreign = try Connection(path: folder.file())
      try foreign.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE theirs(a)")
    }
    let before = folder.bytes()
    let error = #expect(throws: SQLiteError.self) { try Database(path: folder.file()) }
    #expect(error?.condition == .notUTF8)
    #expect(folder.bytes() == before)
  }

  @Test func aDamagedFileIsATypedError() throws {
    do {
      let database = try Database(path: folder.file())
      try database.write { connection in
        try connection.execute("CREATE TABLE t(a TEXT); CREATE INDEX i ON t(a)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        for number in 0..<2_000 {
          insert.bind(1, "value \(number)")
          try insert.run()
        }
      }
      database.close()
    }
    let sound = folder.bytes()
    for seed in 1...40 as ClosedRange<UInt64> {
      var random = SplitMix(seed: seed)
      var damaged = sound
      for _ in 0..<200 {
        damaged[Int.random(in: 100..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if seed % 4 == 0 { damaged.removeLast(Int.random(in: 1..<damaged.count, using: &random)) }
      folder.write(damaged)
      do {
        let database = try Database(path: folder.file())
        defer { database.close() }
        _ = try database.read { try $0.int64("SELECT count(*) FROM t WHERE a > 'value 5' AND length(a) > 2") }
        _ = try database.write { try $0.execute("UPDATE t SET a = a || 'x' WHERE a LIKE '%7'") }
      } catch let error as SQLiteError {
        #expect([.corrupt, .notADatabase, .error, .cantOpen].contains(error.code), "\(error)")
      }
    }
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
    #expect(error?.condition == .readOnlyDatabase)
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

  @Test func aHostileSchemaRunsNothing() throws {
    do {
      let foreign = try Connection(path: folder.file())
      try foreign.execute(
        """
        CREATE TABLE t(a);
        CREATE VIEW v AS SELECT a, load_extension('evil') FROM t;
        INSERT INTO t VALUES (1);
        """)
    }
    let database = try Database(path: folder.file())
    #expect(throws: SQLiteError.self) { try database.read { try $0.execute("SELECT * FROM v") } }
  }
}
