import LarderSQLite
import Testing

@Suite struct DatabaseReadingTests {
  let folder = TemporaryFolder()

  @Test func aReaderKeepsItsSnapshot() throws {
    let database = try folder.database()
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
    let database = try folder.database(settings)
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

  @Test func whoReadsBesideWaitsForNobody() throws {
    var settings = Settings()
    settings.maximumReaders = 1
    let database = try folder.database(settings)
    let reader = try database.checkout()
    try database.write { try $0.execute("INSERT INTO t VALUES (7)") }
    let count = try database.readBeside { try $0.int64("SELECT count(*) FROM t") }
    #expect(count == 1)
    database.checkin(reader)
    // The place of the only one is not taken.
    #expect(try database.readBeside { $0 === reader.connection })
    database.checkin(try database.checkout())
  }

  @Test func aHeldSnapshotKeepsTheLog() throws {
    let database = try folder.database()
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
    let database = try folder.database(settings)
    for _ in 0..<200 { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    #expect(folder.bytes("test.store-wal").count < 40 * 4_200)
  }
}
