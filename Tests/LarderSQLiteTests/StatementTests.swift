import LarderSQLite
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a, b, c, d)")
  }

  private func roundTrip(_ text: String) throws -> (type: ValueType, text: String) {
    try connection.withStatement(for: "SELECT ?") { statement in
      statement.bind(1, text)
      try #require(try statement.step())
      return (statement.type(0), statement.string(0))
    }
  }

  @Test(arguments: [
    "", "a", "pe\0ar", "\0", "grün 🍐", String(repeating: "x", count: 1_024), String(repeating: "y", count: 1_025),
    String(repeating: "é", count: 100_000),
  ])
  func textsComeBackAsTheyWent(_ text: String) throws {
    let (type, result) = try roundTrip(text)
    #expect(type == .text)
    #expect(Array(result.utf8) == Array(text.utf8))
  }

  @Test(arguments: [[], [0], [1, 0, 2], [UInt8](repeating: 7, count: 5_000)] as [[UInt8]])
  func blobsComeBackAsTheyWent(_ blob: [UInt8]) throws {
    try connection.withStatement(for: "SELECT ?, ?") { statement in
      statement.bind(1, blob)
      blob.withUnsafeBytes { statement.bind(2, unownedBlob: $0) }
      try #require(try statement.step())
      #expect(statement.type(0) == .blob)
      #expect(statement.type(1) == .blob)
      #expect(statement.blob(0) == blob)
      #expect(statement.withBytes(0) { $0.count } == blob.count)
    }
  }

  @Test func numbersAndNull() throws {
    try connection.withStatement(for: "SELECT ?, ?, ?, ?, ?") { statement in
      statement.bind(1, Int64.min)
      statement.bind(2, Double.infinity)
      statement.bind(3, Double.nan)
      statement.bindNull(4)
      try #require(try statement.step())
      #expect(statement.int64(0) == .min)
      #expect(statement.double(1) == .infinity)
      #expect(statement.isNull(2) && statement.isNull(3) && statement.isNull(4))
      #expect(statement.string(3) == "" && statement.blob(3) == [] && statement.int64(3) == 0)
      // A column that does not exist.
      #expect(statement.isNull(99) && statement.string(99) == "" && statement.int64(-1) == 0)
    }
  }

  @Test func invalidUTF8IsRepaired() throws {
    try connection.withStatement(for: "SELECT CAST(x'61ff62' AS TEXT)") { statement in
      try #require(try statement.step())
      #expect(statement.string(0) == "a\u{FFFD}b")
    }
  }

  /// What is not bound anew stays, whatever the others are bound to meanwhile.
  @Test func bindingsOutliveAReset() throws {
    let statement = try connection.prepare("SELECT ?1, ?2, ?3")
    statement.bind(1, "first")
    statement.bind(2, "second")
    statement.bind(3, String(repeating: "long", count: 2_000))
    for round in 0..<20 {
      statement.bind(1, String(repeating: "\(round)", count: round * 7))
      #expect(try statement.step())
      #expect(statement.string(0) == String(repeating: "\(round)", count: round * 7))
      #expect(statement.string(1) == "second")
      #expect(statement.string(2).utf8.count == 8_000)
      statement.reset()
    }
    statement.clearBindings()
    #expect(try statement.step())
    #expect(statement.isNull(1))
  }

  @Test func aThousandStrings() throws {
    let list = Array(repeating: "?", count: 1_000).joined(separator: ",")
    let statement = try connection.prepare("SELECT \(list)")
    for index in 1...1_000 { statement.bind(Int32(index), String(repeating: "\(index),", count: 1 + index % 30)) }
    #expect(try statement.step())
    for index in 1...1_000 {
      #expect(statement.string(Int32(index - 1)) == String(repeating: "\(index),", count: 1 + index % 30))
    }
  }

  @Test func aParameterThatIsNotThere() throws {
    let statement = try connection.prepare("SELECT ?")
    for index in [0, -1, 2, .max, .min] as [Int32] {
      statement.bind(index, "x")
      let error = #expect(throws: SQLiteError.self) { try statement.step() }
      #expect(error?.code == .range)
      statement.bind(index, Int64(1))
      #expect(throws: SQLiteError.self) { try statement.run() }
    }
    // The failure is gone with the reset.
    statement.bind(1, "fine")
    #expect(try statement.step())
  }

  @Test func bindingWhileRunning() throws {
    let statement = try connection.prepare("SELECT ? UNION ALL SELECT 'second'")
    statement.bind(1, "first")
    #expect(try statement.step())
    statement.bind(1, "other")
    #expect(statement.string(0) == "first")
    let error = #expect(throws: SQLiteError.self) { try statement.step() }
    #expect(error?.code == .misuse)
    // At its end a statement may be bound anew without a reset.
    statement.bind(1, "third")
    #expect(try statement.step())
    #expect(try statement.step())
    #expect(try !statement.step())
    statement.bind(1, "fourth")
    #expect(try statement.step())
    #expect(statement.string(0) == "fourth")
  }

  @Test func longerThanSQLiteCanHold() throws {
    let count = Int(Int32.max) + 10
    let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    try #require(memory != MAP_FAILED)
    defer { munmap(memory, count) }
    let bytes = UnsafeRawBufferPointer(start: memory, count: count)
    let statement = try connection.prepare("SELECT ?")
    for bind in [
      { statement.bind(1, bytes) }, { statement.bindText(1, bytes.bindMemory(to: UInt8.self)) },
      { statement.bind(1, unownedBlob: bytes) }, { statement.bind(1, unownedText: bytes.bindMemory(to: UInt8.self)) },
    ] {
      bind()
      let error = #expect(throws: SQLiteError.self) { try statement.step() }
      #expect(error?.code == .tooBig)
      #expect(error?.reason == .valueTooLong)
    }
  }

  @Test func facts() throws {
    let statement = try connection.prepare("SELECT a AS first, b FROM t WHERE c = :c")
    #expect(statement.parameterCount == 1)
    #expect(statement.columnCount == 2)
    #expect(statement.columnName(0) == "first")
    #expect(statement.columnName(7) == "")
    #expect(statement.parameterIndex(":c") == 1)
    #expect(statement.isReadOnly)
    #expect(try !connection.prepare("DELETE FROM t").isReadOnly)
    #expect(!statement.isBusy)
  }

  @Test(arguments: ["", "  ", "-- only a comment", ";", "SELECT 1; SELECT 2", "SELECT 1;; SELECT 2 -- x"])
  func notOneStatement(_ sql: String) {
    let error = #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
    #expect(error?.reason == .notOneStatement)
  }

  @Test(arguments: ["SELECT 1;", "SELECT 1; -- the end", "SELECT 1 ;\n;"])
  func oneStatementWithATail(_ sql: String) throws {
    #expect(try connection.prepare(sql).step())
  }

  @Test func executeRunsThemAll() throws {
    try connection.execute("INSERT INTO t(a) VALUES (1); INSERT INTO t(a) VALUES ('ü;'); -- done\n")
    #expect(try connection.int64("SELECT count(*) FROM t") == 2)
    let error = #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM t; SELECT nonsense") }
    #expect(error?.code == .error)
    #expect(error?.sql?.contains("nonsense") == true)
    #expect(try connection.int64("SELECT count(*) FROM t") == 0)
  }

  @Test func aStatementOutlivesItsConnection() throws {
    var connection: Connection? = try Connection(path: ":memory:")
    let statement = try #require(try connection?.prepare("SELECT ?"))
    connection = nil
    statement.bind(1, "still")
    #expect(try statement.step())
    #expect(statement.string(0) == "still")
  }
}

@Suite struct StatementCacheTests {
  let connection: Connection

  init() throws { connection = try Connection(path: ":memory:") }

  @Test func theSameStatementAgain() throws {
    let first = try connection.statement(for: "SELECT 1")
    first.checkIn()
    let before = connection.status()
    let second = try connection.statement(for: "SELECT 1")
    #expect(first === second)
    #expect((connection.status() - before).statementsPrepared == 0)
  }

  @Test func aStatementInUseHasACopy() throws {
    let sql = "SELECT value FROM larder_values(?)"
    let outer = try connection.statement(for: sql)
    outer.bind(1, BoundValues([1, 2, 3] as [Int64]))
    var seen: [Int64] = []
    while try outer.step() {
      let inner = try connection.statement(for: sql)
      #expect(inner !== outer)
      inner.bind(1, BoundValues([10, 20] as [Int64]))
      while try inner.step() { seen.append(outer.int64(0) * inner.int64(0)) }
      inner.checkIn()
    }
    outer.checkIn()
    #expect(seen == [10, 20, 20, 40, 30, 60])
    #expect(connection.status().statementsPrepared == 2)
  }

  @Test func aDroppedStatementIsFoundAgain() throws {
    do {
      let dropped = try connection.statement(for: "SELECT 1 UNION ALL SELECT 2")
      #expect(try dropped.step())
    }
    let again = try connection.statement(for: "SELECT 1 UNION ALL SELECT 2")
    #expect(!again.isBusy)
    #expect(connection.status().statementsPrepared == 1)
  }

  @Test func aHolderTakesItsStatementBack() throws {
    let held = try connection.statement(for: "SELECT 1")
    #expect(!held.checkOut())
    held.checkIn()
    #expect(held.checkOut())
    #expect(try connection.statement(for: "SELECT 1") !== held)
  }

  @Test func theCacheHasALimit() throws {
    for number in 0..<2_000 { try connection.statement(for: "SELECT \(number)").checkIn() }
    let before = connection.status()
    try connection.statement(for: "SELECT 1999").checkIn()
    #expect((connection.status() - before).statementsPrepared == 0)
    try connection.statement(for: "SELECT 0").checkIn()
    #expect((connection.status() - before).statementsPrepared == 1)
  }
}

@Suite struct ConnectionTests {
  @Test func countsOfWork() throws {
    let folder = TemporaryFolder()
    let database = try Database(path: folder.file())
    try database.withWriter { connection in
      try connection.execute("CREATE TABLE t(a)")
      let before = connection.status()
      try connection.execute("UPDATE t SET a = 1")
      #expect((connection.status() - before).pagesWritten == 0)
      try connection.execute("INSERT INTO t VALUES (1), (2)")
      let difference = connection.status() - before
      #expect(difference.pagesWritten > 0)
      #expect(difference.statementRuns == 2)
      #expect(difference.statementsPrepared == 2)
      #expect(difference.machineSteps > 4)
      #expect(connection.changes == 2)
      #expect(connection.totalChanges == 2)
      #expect(connection.lastInsertRowID == 2)
      connection.lastInsertRowID = 0
      #expect(connection.lastInsertRowID == 0)
      #expect(connection.logFrameCount > 0)
    }
  }

  @Test func dataVersionTellsOfOthers() throws {
    let folder = TemporaryFolder()
    let database = try Database(path: folder.file())
    let other = try Connection(path: folder.file())
    try database.withWriter { connection in
      let before = try connection.dataVersion()
      try connection.execute("CREATE TABLE t(a)")
      #expect(try connection.dataVersion() == before)
      try other.execute("CREATE TABLE u(a)")
      #expect(try connection.dataVersion() != before)
    }
  }

  @Test func interruptedFromAnotherThread() async throws {
    let connection = try Connection(path: ":memory:")
    let interrupter = connection.interrupter
    let interrupting = Task.detached {
      while !Task.isCancelled {
        interrupter.interrupt()
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
    interrupting.cancel()
    #expect(error?.code == .interrupted)
    connection.close()
    interrupter.interrupt()
  }

  /// What is watched within what is watched leaves the outer one its watch, and is asked for by both.
  @Test func watchesAreWithinOneAnother() throws {
    let connection = try Connection(path: ":memory:")
    let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    var isUnwanted = false
    let asked = { isUnwanted }
    try connection.withCancellation(when: asked) { () throws in
      let inner = #expect(throws: SQLiteError.self) {
        let never = { true }
        try connection.withCancellation(when: never) { try connection.execute(long) }
      }
      #expect(inner?.code == .interrupted)
      #expect(try connection.int64("SELECT 1") == 1)
      isUnwanted = true
      let outer = #expect(throws: SQLiteError.self) { try connection.execute(long) }
      #expect(outer?.code == .interrupted)
      let both = #expect(throws: SQLiteError.self) {
        let always = { false }
        try connection.withCancellation(when: always) { try connection.execute(long) }
      }
      #expect(both?.code == .interrupted)
    }
    #expect(try connection.int64("SELECT 1") == 1)
  }

  @Test func afterClosing() throws {
    let connection = try Connection(path: ":memory:")
    let held = try connection.statement(for: "SELECT 1")
    connection.close()
    connection.close()
    for attempt in [
      { try connection.execute("SELECT 1") }, { _ = try connection.prepare("SELECT 1") },
      { try connection.transaction {} }, { _ = try connection.dataVersion() },
    ] {
      let error = #expect(throws: SQLiteError.self) { try attempt() }
      #expect(error?.reason == .closed)
    }
    #expect(connection.changes == 0 && connection.lastInsertRowID == 0 && !connection.isInTransaction)
    #expect(connection.status() == ConnectionStatus())
    #expect(try held.step())
  }

  @Test(arguments: ["", "a\0b"]) func pathsThatCannotBe(_ path: String) {
    let connection = #expect(throws: SQLiteError.self) { try Connection(path: path) }
    #expect(connection?.reason == .invalidPath)
    let database = #expect(throws: SQLiteError.self) { try Database(path: path) }
    #expect(database?.reason == .invalidPath)
  }
}
