import LarderSQLite
import LarderSupport
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct DatabaseWritingTests {
  let folder = TemporaryFolder()

  @Test(arguments: [true, false]) func writersAreServedInTheOrderOfTheirArrival(inMemory: Bool) throws {
    let database = try inMemory ? Database(inMemory: DatabaseSettings()) : folder.database()
    let order = Locked<[Int]>([])
    var threads: [pthread_t] = []
    try database.withWriter { _ in
      for number in 0..<12 {
        threads.append(onThread { try? database.withWriter { _ in order.withLock { $0.append(number) } } })
        // The next thread starts once this one is in the queue.
        while database.waitingWriterCount <= number { sched_yield() }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(order.withLock { $0 } == Array(0..<12))
  }

  @Test(arguments: [true, false]) func aWriteInsideAWriteIsRefused(inMemory: Bool) throws {
    let database = try inMemory ? Database(inMemory: DatabaseSettings()) : folder.database()
    try database.write { connection in
      let error = #expect(throws: SQLiteError.self) { try database.write { _ in } }
      #expect(error?.reason == .recursiveWrite)
      try connection.execute("CREATE TABLE u(a)")
    }
    try database.write { try $0.execute("INSERT INTO u VALUES (1)") }
  }

  @Test func waitingHasALimit() throws {
    var settings = DatabaseSettings()
    settings.queueTimeout = .milliseconds(5)
    let database = try folder.database(settings)
    let failure = Box<SQLiteError?>(nil)
    try database.withWriter { _ in
      let thread = onThread {
        do { try database.write { _ in } } catch { failure.value = error as? SQLiteError }
      }
      pthread_join(thread, nil)
    }
    #expect(failure.value?.reason == .timedOut)
    #expect(failure.value?.code == .busy)
    // Who gave up is no longer in the queue.
    #expect(database.waitingWriterCount == 0)
    try database.write { _ in }
  }

  @Test func manyThreadsLoseNothing() throws {
    let database = try folder.database()
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
    var settings = DatabaseSettings()
    settings.busyTimeout = .milliseconds(10)
    let database = try folder.database(settings)
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
    let database = try folder.database()
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
    let database = try folder.database()
    try database.withWriter { try $0.execute("BEGIN; INSERT INTO t VALUES (1)") }
    #expect(try database.write { try $0.int64("SELECT count(*) FROM t") } == 0)
  }
}
