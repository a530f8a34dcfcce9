import LarderSQLite
import LarderTesting
import Testing

private struct Stop: Error, Equatable {}

@Suite struct TransactionTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a INTEGER UNIQUE)")
  }

  private func insert(_ value: Int) throws { try connection.execute("INSERT INTO t VALUES (\(value))") }

  private var values: [Int64] {
    get throws {
      try connection.withStatement(for: "SELECT a FROM t ORDER BY a") { statement in
        var values: [Int64] = []
        while try statement.step() { values.append(statement.int64(0)) }
        return values
      }
    }
  }

  @Test(arguments: [TransactionKind.immediate, .deferred])
  func commitsOrRollsBack(_ kind: TransactionKind) throws {
    let result = try connection.transaction(kind) {
      #expect(connection.isInTransaction)
      try insert(1)
      return "returned"
    }
    #expect(result == "returned")
    #expect(throws: Stop.self) {
      try connection.transaction(kind) {
        try insert(2)
        throw Stop()
      }
    }
    #expect(try values == [1])
    #expect(!connection.isInTransaction)
  }

  @Test func savepointsNest() throws {
    try connection.transaction {
      try insert(1)
      try connection.savepoint {
        try insert(2)
        #expect(throws: Stop.self) {
          try connection.savepoint {
            try insert(3)
            throw Stop()
          }
        }
        try connection.savepoint { try insert(4) }
      }
      #expect(throws: SQLiteError.self) {
        try connection.savepoint {
          try insert(5)
          try insert(1)
        }
      }
    }
    #expect(try values == [1, 2, 4])
  }

  @Test func notInsideOneAnother() throws {
    try connection.transaction {
      let error = #expect(throws: SQLiteError.self) { try connection.transaction {} }
      #expect(error?.reason == .alreadyInTransaction)
      try insert(1)
    }
    let error = #expect(throws: SQLiteError.self) { try connection.savepoint {} }
    #expect(error?.reason == .notInTransaction)
    #expect(try values == [1])
  }

  /// SQLite rolls back by itself, the body takes no notice and goes on: nothing of it may be stored.
  @Test func aSwallowedRollbackStoresNothing() throws {
    var refusal: SQLiteError?
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try insert(1)
        try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
        // Would commit by itself.
        do { try insert(2) } catch let error as SQLiteError { refusal = error }
      }
    }
    #expect(refusal?.extendedCode == .commitHook)
    #expect(error?.reason == .transactionLost)
    #expect(try values == [])
    #expect(!connection.isInTransaction)
    try insert(3)
    #expect(try values == [3])
  }

  @Test func theFirstErrorIsTheOneTold() throws {
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try insert(1)
        try connection.savepoint { try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
      }
    }
    #expect(error?.extendedCode == .unique)
    #expect(try values == [])
  }

  @Test func endingItBehindTheScopesBack() throws {
    for sql in ["COMMIT", "ROLLBACK", "ROLLBACK; BEGIN", "ROLLBACK; BEGIN; INSERT INTO t VALUES (9)"] {
      #expect(throws: SQLiteError.self) {
        try connection.transaction {
          try insert(1)
          try connection.execute(sql)
        }
      }
      #expect(try values == [], "\(sql)")
      #expect(!connection.isInTransaction)
    }
  }

  @Test func aFailingCommitLeavesNothingOpen() throws {
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE child(t INTEGER REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED)
      """)
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try insert(1)
        try connection.execute("INSERT INTO child VALUES (77)")
      }
    }
    #expect(error?.extendedCode == .foreignKey)
    #expect(error?.context == "committing a transaction")
    #expect(!connection.isInTransaction)
    #expect(try values == [])
  }

  @Test func aReaderInTheMiddleDoesNotStopTheRollback() throws {
    try insert(1)
    try insert(2)
    let open = try connection.prepare("SELECT a FROM t")
    #expect(throws: Stop.self) {
      try connection.transaction {
        #expect(try open.step())
        try insert(3)
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    open.reset()
    #expect(try values == [1, 2])
  }

  @Test func aFullDiskInsideASavepoint() throws {
    let folder = TemporaryFolder()
    let disk = FaultVFS()
    var settings = DatabaseSettings()
    // A small cache spills to the log in the middle of the transaction.
    settings.cacheKibibytes = 40
    let database = try Database(path: folder.file(), settings: settings, vfs: disk.name)
    try database.write { try $0.execute("CREATE TABLE b(data BLOB)") }
    disk.setQuota(disk.usedBytes + 200_000)
    let error = #expect(throws: SQLiteError.self) {
      try database.write { connection in
        try connection.savepoint {
          for _ in 0..<100 { try connection.execute("INSERT INTO b VALUES (zeroblob(10000))") }
        }
      }
    }
    #expect(error?.code == .full)
    disk.setQuota(nil)
    try database.write { connection in
      #expect(try connection.int64("SELECT count(*) FROM b") == 0)
      try connection.execute("INSERT INTO b VALUES (zeroblob(10000))")
    }
    #expect(try database.read { try $0.int64("SELECT count(*) FROM b") } == 1)
  }
}
