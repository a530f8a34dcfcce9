import LarderSQLite
import LarderSupport
import TestSeeds
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// What other programs do to the files of an open database: a clean-up, a sync tool, a copy that is put back.
@Suite struct OpenedFilesTests {
  enum Change: String, CaseIterable, Sendable {
    case logRemoved = "rm test.store-wal"
    case logMoved = "mv test.store-wal elsewhere"
    case logReplaced = "cp test.store-wal new; mv new test.store-wal"
    case logEmptied = ": > test.store-wal"
    case logTruncated = "truncate -s 5000 test.store-wal"
    case logOverwritten = "dd if=log of=test.store-wal conv=notrunc"
    case indexRemoved = "rm test.store-shm"
    case indexEmptied = ": > test.store-shm"
    case indexReplaced = "cp test.store-shm new; mv new test.store-shm"
    case fileRemoved = "rm test.store"
    case fileReplaced = "cp test.store new; mv new test.store"
    case fileEmptied = ": > test.store"
    case fileTruncated = "truncate -s 8192 test.store"
    case fileOverwritten = "dd if=former of=test.store conv=notrunc"
    case allRemoved = "rm test.store*"
    case logAndIndexRemoved = "rm test.store-wal test.store-shm"

    /// Whether the log, or its index, has lost its name, and what is read may be wrong.
    var isSeenByReaders: Bool {
      switch self {
      case .logRemoved, .logMoved, .logReplaced, .indexRemoved, .indexReplaced: true
      case .allRemoved, .logAndIndexRemoved: true
      default: false
      }
    }
    /// Whether the log can still be moved into the file.
    var leavesNothingInTheWay: Bool { [.logRemoved, .logMoved, .logAndIndexRemoved].contains(self) }
  }

  private let folder = TemporaryFolder()

  private func change(_ change: Change) { shell("cd '\(folder.path)' && { \(change.rawValue); } 2>&-") }

  /// A database whose file and log have been written several times, and what each was before.
  private func filled() throws -> Database {
    let database = try folder.database()
    try insert(300, into: database)
    try database.checkpoint(.truncate)
    try insert(3, into: database)
    shell("cd '\(folder.path)' && cp test.store former && cp test.store-wal log")
    try insert(300, into: database)
    try database.checkpoint(.truncate)
    try insert(300, into: database)
    return database
  }

  private func insert(_ count: Int, into database: Database) throws {
    try database.write { connection in
      for _ in 0..<count { try connection.execute("INSERT INTO t VALUES (randomblob(200) IS NULL)") }
      try connection.execute("CREATE TABLE IF NOT EXISTS long(b); INSERT INTO long VALUES (zeroblob(20000))")
    }
  }

  @Test(arguments: Change.allCases)
  func nextWriteNotices(_ change: Change) throws {
    let database = try filled()
    self.change(change)
    for _ in 0..<2 {
      let error = #expect(throws: SQLiteError.self, "\(change)") { try insert(1, into: database) }
      #expect(error?.reason == .fileReplaced, "\(change): \(error as Any)")
    }
    guard change.isSeenByReaders else { return }
    let error = #expect(throws: SQLiteError.self) { try database.read { try $0.int64("SELECT count(*) FROM t") } }
    #expect(error?.reason == .fileReplaced, "\(change)")
  }

  /// What was acknowledged is in the file, though its log has no name any more, and the process may end at any moment.
  @Test(arguments: Change.allCases.filter(\.leavesNothingInTheWay), [false, true])
  func whatWasSavedIsMovedIntoTheFile(_ change: Change, reads: Bool) throws {
    let database = try filled()
    self.change(change)
    #expect(throws: SQLiteError.self) {
      if reads { try database.read { _ in } } else { try insert(1, into: database) }
    }
    shell("cd '\(folder.path)' && cp test.store copy")
    #expect(try Database(path: folder.file("copy")).read { try $0.int64("SELECT count(*) FROM t") } == 903)
    database.close()
  }

  /// Another log by the name would be played into the file by whoever opens that: it is not written any more.
  @Test func whatHasAnotherLogIsNotWritten() throws {
    let database = try filled()
    change(.logReplaced)
    shell("cd '\(folder.path)' && cp test.store before")
    #expect(throws: SQLiteError.self) { try insert(1, into: database) }
    database.checkpointAtExit()
    #expect(shell("cd '\(folder.path)' && cmp test.store before") == 0)
  }

  @Test(arguments: [Change.logRemoved, .indexRemoved, .fileRemoved, .fileReplaced])
  func whoOnlyReadsNotices(_ change: Change) throws {
    let writer = try filled()
    let reader = try Database(path: folder.file(), access: .readOnly)
    #expect(try reader.read { try $0.int64("SELECT count(*) FROM t") } == 903)
    self.change(change)
    let error = #expect(throws: SQLiteError.self) { try reader.read { try $0.int64("SELECT count(*) FROM t") } }
    #expect(error?.reason == .fileReplaced)
    writer.close()
  }

  @Test func everyDatabaseOnTheFileNotices() throws {
    let databases = [try filled(), try folder.database(), try folder.database()]
    for database in databases { try insert(1, into: database) }
    change(.logRemoved)
    for database in databases {
      let error = #expect(throws: SQLiteError.self) { try insert(1, into: database) }
      #expect(error?.reason == .fileReplaced)
    }
  }

  /// A look at a file, or another time of its last change, is nobody's writing.
  @Test func touchingIsNoChange() throws {
    let database = try filled()
    for command in ["touch test.store*", "chmod 640 test.store*", "ln test.store other", "cat test.store* > copy"] {
      shell("cd '\(folder.path)' && \(command)")
      try insert(1, into: database)
    }
  }

  @Test func filesByALinkAreTheSame() throws {
    let path = try filled().path ?? ""
    shell("cd '\(folder.path)' && ln -s test.store link")
    let database = try Database(path: folder.file("link"))
    try insert(1, into: database)
    change(.logRemoved)
    #expect(throws: SQLiteError.self) { try insert(1, into: database) }
    #expect(path == folder.file())
  }

  /// Checkpoints of any kind, logs that begin anew, compacting, copies, others that come and go: all of it is SQLite's own.
  @Test(arguments: Seeds.some(12))
  func whatSQLiteDoesIsNoDamage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var settings = DatabaseSettings()
    settings.checkpointFrames = [2, 5, 50, 1_000].randomElement(using: &random) ?? 5
    settings.journalSizeLimit = [0, 20_000, 1 << 20].randomElement(using: &random) ?? 0
    settings.durability = .relaxed
    var databases = [try folder.database(settings)]
    try insert(1, into: databases[0])
    for step in 0..<150 {
      let database = databases.randomElement(using: &random) ?? databases[0]
      do {
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<6: try insert(Int.random(in: 1...40, using: &random), into: database)
        case 6: try database.write { try $0.execute("DELETE FROM t WHERE rowid % 3 = 0; DELETE FROM long") }
        case 7: try database.withWriter { try $0.execute("VACUUM") }
        case 8: try database.checkpoint(.truncate)
        case 9: try database.checkpoint()
        case 10: try database.copy(to: folder.file("copy")) { _, _ in }
        case 11 where databases.count < 4: databases.append(try folder.database(settings))
        case 12 where databases.count > 1:
          databases.remove(at: Int.random(in: databases.indices, using: &random)).close()
        default: #expect(try database.read { try $0.string("PRAGMA quick_check") } == "ok")
        }
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
  }

  /// Others write, and move the log, while it is looked at.
  @Test func whatOthersDoMeanwhileIsNoDamage() throws {
    var settings = DatabaseSettings()
    settings.checkpointFrames = 3
    settings.journalSizeLimit = 0
    settings.durability = .relaxed
    let databases = try (0..<3).map { _ in try folder.database(settings) }
    let failures = Locked<[String]>([])
    let threads = databases.map { database in
      onThread {
        for number in 0..<150 {
          do {
            try database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
            if number % 20 == 0 { try database.checkpoint(.truncate) }
          } catch let error as SQLiteError where error.code == .busy {
          } catch {
            failures.withLock { $0.append("\(error)") }
            return
          }
        }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(failures.withLock { $0 } == [])
  }
}
