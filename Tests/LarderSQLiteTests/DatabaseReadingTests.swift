import LarderSQLite
import Testing

@Suite struct DatabaseReadingTests {
  let folder = TemporaryFolder()

  @Test func aReaderKeepsItsSnapshot() throws {
    let database = try folder.database()
    let reader = try database.checkOut()
    try reader.beginSnapshot()
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 0)
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 0)
    #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 1)
    reader.endSnapshot()
    #expect(!reader.holdsSnapshot)
    #expect(try reader.connection.int64("SELECT count(*) FROM t") == 1)
    database.checkIn(reader)
    database.checkIn(reader)
  }

  /// A database that another process is making must not look half made.
  @Test func validatingSeesOneSnapshot() throws {
    let first = try folder.database()
    let path = folder.file()
    let second = try Database(path: path) { connection in
      #expect(try connection.int64("SELECT count(*) FROM t") == 0)
      try first.write { try $0.execute("INSERT INTO t VALUES (1); PRAGMA application_id = 7") }
      #expect(try connection.int64("SELECT count(*) FROM t") == 0)
      #expect(try connection.int64("PRAGMA application_id") == 0)
    }
    #expect(try second.read { try $0.int64("SELECT count(*) FROM t") } == 1)
  }

  @Test func aReaderInsideAWriteSeesTheLastCommit() throws {
    let database = try folder.database()
    try database.write { connection in
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(try database.read { try $0.int64("SELECT count(*) FROM t") } == 0)
    }
  }

  @Test func readersDoNotWrite() throws {
    let database = try folder.database()
    let error = #expect(throws: SQLiteError.self) { try database.read { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(error?.code == .readOnly)
  }

  @Test func aReaderIsUsedAgainAndComesBackClean() throws {
    let database = try folder.database()
    try database.write { try $0.execute("INSERT INTO t VALUES (1), (2)") }
    let first = try database.checkOut()
    try first.beginSnapshot()
    let running = try first.connection.statement(for: "SELECT a FROM t")
    #expect(try running.step())
    database.checkIn(first)
    #expect(!running.isBusy)
    let second = try database.checkOut()
    #expect(second === first)
    #expect(!second.holdsSnapshot)
    database.checkIn(second)
  }

  @Test func thePoolGrowsToItsLimitAndThenWaits() throws {
    var settings = DatabaseSettings()
    settings.maximumReaders = 3
    settings.queueTimeout = .milliseconds(5)
    let database = try folder.database(settings)
    var readers = try (0..<3).map { _ in try database.checkOut() }
    let error = #expect(throws: SQLiteError.self) { try database.checkOut() }
    #expect(error?.reason == .timedOut)
    database.checkIn(readers.removeLast())
    database.checkIn(try database.checkOut())
    // Dropped without being given back: its place is free again.
    readers.removeAll()
    readers = try (0..<3).map { _ in try database.checkOut() }
    for reader in readers { database.checkIn(reader) }
  }

  @Test func whoReadsBesideWaitsForNobody() throws {
    var settings = DatabaseSettings()
    settings.maximumReaders = 1
    let database = try folder.database(settings)
    let reader = try database.checkOut()
    try database.write { try $0.execute("INSERT INTO t VALUES (7)") }
    let count = try database.reentrantRead { try $0.int64("SELECT count(*) FROM t") }
    #expect(count == 1)
    database.checkIn(reader)
    // The place of the only one is not taken.
    #expect(try database.reentrantRead { $0 === reader.connection })
    database.checkIn(try database.checkOut())
  }

  @Test func aHeldSnapshotKeepsTheLog() throws {
    let database = try folder.database()
    let reader = try database.checkOut()
    try reader.beginSnapshot()
    _ = try reader.connection.int64("SELECT count(*) FROM t")
    try database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    let held = try database.checkpoint()
    #expect(held.moved < held.frames)
    database.checkIn(reader)
    let free = try database.checkpoint()
    #expect(free.moved == free.frames)
    #expect(try database.checkpoint(.truncate).frames == 0)
    #expect(folder.bytes("test.store-wal").isEmpty)
  }

  @Test func theLogIsMovedAtItsLimit() throws {
    var settings = DatabaseSettings()
    settings.checkpointFrames = 20
    let database = try folder.database(settings)
    for _ in 0..<200 { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(folder.bytes("test.store-wal").count < 40 * 4_200)
  }
}
