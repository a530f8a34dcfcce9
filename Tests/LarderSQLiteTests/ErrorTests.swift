import LarderSQLite
import Testing

@Suite struct ErrorTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT NOT NULL, key TEXT CHECK (key <> '')) STRICT;
      CREATE TABLE child(parent INTEGER REFERENCES parent) STRICT;
      CREATE TABLE pair(a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      INSERT INTO parent VALUES (1, 'a', 'x', 'k');
      INSERT INTO pair VALUES ('a');
      """)
  }

  @Test(arguments: [
    ("INSERT INTO parent VALUES (2, 'a', 'x', 'k')", ExtendedResultCode.unique),
    ("INSERT INTO parent VALUES (1, 'b', 'x', 'k')", .primaryKey),
    ("INSERT INTO parent VALUES (2, 'b', NULL, 'k')", .notNull),
    ("INSERT INTO parent VALUES (2, 'b', 'x', '')", .check),
    ("INSERT INTO parent VALUES ('no number', 'b', 'x', 'k')", .dataType),
    ("INSERT INTO child VALUES (7)", .foreignKey),
    ("INSERT INTO pair VALUES ('a')", .primaryKey),
  ])
  func constraintsAreTold(_ sql: String, _ code: ExtendedResultCode) {
    let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
    // SQLite reports a wrong type for an INTEGER PRIMARY KEY as a mismatch.
    if error?.code == .mismatch { return }
    #expect(error?.code == .constraint)
    #expect(error?.extendedCode == code)
    #expect(error?.sql == sql)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func boundValuesStayPrivate() throws {
    let insert = try connection.prepare("INSERT INTO parent(id, code, name) VALUES (1, ?, ?)")
    insert.bind(1, "secret-code")
    insert.bind(2, "secret-name")
    let error = try #require(#expect(throws: SQLiteError.self) { try insert.run() })
    #expect(error.sql == "INSERT INTO parent(id, code, name) VALUES (1, ?, ?)")
    #expect(!"\(error)".contains("secret"))
    #expect("\(error)".contains("constraint"))
    #expect("\(error)".contains(error.advice))
    // After the error the statement can be used again.
    #expect(!insert.isBusy)
    let again = try #require(#expect(throws: SQLiteError.self) { try insert.run() })
    #expect(again == error)
  }

  @Test func everyCodeHasAdvice() {
    for raw in 0...40 as ClosedRange<Int32> {
      let error = SQLiteError(code: raw, message: "m", context: "c")
      #expect(error.advice.hasSuffix("."))
      #expect("\(error)".contains("\(error.code)"))
    }
  }

  @Test func syntaxErrors() {
    let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELEKT 1") }
    #expect(error?.code == .error)
    #expect(error?.sql == "SELEKT 1")
    #expect(error?.context == "preparing a statement")
  }
}
