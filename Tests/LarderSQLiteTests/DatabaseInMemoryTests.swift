import LarderSQLite
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct DatabaseInMemoryTests {
  @Test func aReadInsideAWriteUsesItsConnection() throws {
    let database = try Database(inMemory: DatabaseSettings())
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
    #expect(database.waitingWriterCount == 0)
    let thread = onThread { try? database.write { try $0.execute("INSERT INTO t VALUES (3)") } }
    pthread_join(thread, nil)
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 3)
  }

  @Test func aDroppedReaderLeavesTheLock() throws {
    let database = try Database(inMemory: DatabaseSettings())
    do { _ = try database.checkOut() }
    let kept = try database.checkOut()
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    database.checkIn(kept)
    let wrote = Box(false)
    let thread = onThread { wrote.value = (try? database.write { try $0.execute("INSERT INTO t VALUES (3)") }) != nil }
    pthread_join(thread, nil)
    #expect(wrote.value)
  }

  @Test func databasesInMemoryAreApart() throws {
    let first = try Database(inMemory: DatabaseSettings())
    let second = try Database(inMemory: DatabaseSettings())
    try first.write { try $0.execute("CREATE TABLE t(a)") }
    try second.write { try $0.execute("CREATE TABLE t(a)") }
  }
}
