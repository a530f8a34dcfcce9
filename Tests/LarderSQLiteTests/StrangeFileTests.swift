import LarderSQLite
import TestSeeds
import Testing

/// Files that are damaged, or are not ours.
@Suite struct StrangeFileTests {
  let folder = TemporaryFolder()

  @Test func notADatabase() throws {
    var random = SeededGenerator(seed: 1)
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
    #expect(error?.reason == .notUTF8)
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
      var random = SeededGenerator(seed: seed)
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
