import LarderSQLite
import TestSeeds
import Testing

@Suite struct ValuesTests {
  let connection: Connection

  init() throws { connection = try Connection(path: ":memory:") }

  private func read(_ values: BoundValues) throws -> [String] {
    try connection.withStatement(for: "SELECT rowid, typeof(value), hex(value) FROM larder_values(?)") { statement in
      statement.bind(1, values)
      var rows: [String] = []
      while try statement.step() { rows.append("\(statement.int64(0)) \(statement.string(1)) \(statement.string(2))") }
      return rows
    }
  }

  @Test func everyType() throws {
    #expect(
      try read(BoundValues([1, .min] as [Int64])) == [
        "1 integer 31", "2 integer 2D39323233333732303336383534373735383038",
      ])
    #expect(try read(BoundValues([7, nil] as [Int64?])) == ["1 integer 37", "2 null "])
    #expect(try read(BoundValues([0.5])) == ["1 real 302E35"])
    #expect(try read(BoundValues([nil, 0.5])) == ["1 null ", "2 real 302E35"])
    #expect(try read(BoundValues(["", "a\0b", "ü"])) == ["1 text ", "2 text 610062", "3 text C3BC"])
    #expect(try read(BoundValues([nil, ""] as [String?])) == ["1 null ", "2 text "])
    #expect(try read(BoundValues([[], nil, [0, 255]] as [[UInt8]?])) == ["1 blob ", "2 null ", "3 blob 00FF"])
    #expect(try read(BoundValues([] as [String])) == [])
    #expect(try read(BoundValues([] as [Int64])) == [])
    #expect(connection.status().statementsPrepared == 1)
  }

  @Test func oneTextForAnyCountAndTheIndexIsUsed() throws {
    try connection.execute(
      """
      CREATE TABLE t(name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO t SELECT 'n' || i FROM n;
      CREATE INDEX by_name ON t(name);
      """)
    let sql = "SELECT count(*) FROM t WHERE name IN (SELECT value FROM larder_values(?1))"
    let plan = try connection.withStatement(for: "EXPLAIN QUERY PLAN " + sql) { statement in
      try statement.step() ? statement.string(3) : ""
    }
    #expect(plan.contains("SEARCH") && plan.contains("by_name"))
    let statement = try connection.statement(for: sql)
    for count in [0, 1, 3, 1_000] {
      statement.bind(1, BoundValues((0..<count).map { "n\($0 * 3 + 1)" }))
      let before = connection.status().machineSteps
      #expect(try statement.step())
      #expect(statement.int64(0) == Int64(count))
      statement.reset()
      #expect(connection.status().machineSteps - before < 60 + Int64(count) * 30)
    }
  }

  @Test func withoutAnArray() throws {
    let statement = try connection.prepare("SELECT value FROM larder_values(?)")
    let error = #expect(throws: SQLiteError.self) { try statement.step() }
    #expect(error?.message.contains("larder_values(?) needs an array") == true)
    statement.bind(1, "text")
    #expect(throws: SQLiteError.self) { try statement.step() }
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT * FROM larder_values") }
    // After a reset the array is gone.
    statement.bind(1, BoundValues(["x"]))
    #expect(try statement.step())
    statement.reset()
    #expect(throws: SQLiteError.self) { try statement.step() }
  }

  @Test func theStatementKeepsItsArray() throws {
    let statement = try connection.prepare("SELECT value FROM larder_values(?)")
    weak var gone: BoundValues?
    do {
      let values = BoundValues((0..<1_000).map { "value \($0)" })
      gone = values
      statement.bind(1, values)
    }
    #expect(gone == nil)
    var count = 0
    while try statement.step() {
      #expect(statement.string(0) == "value \(count)")
      count += 1
    }
    #expect(count == 1_000)
  }
}

@Suite struct ArithmeticTests {
  let connection: Connection

  init() throws { connection = try Connection(path: ":memory:") }

  static let interesting: [Int64] = [.min, .min + 1, -3, -2, -1, 0, 1, 2, 3, 10, .max - 1, .max, 3_037_000_500]

  private func call(_ function: String, _ left: Int64, _ right: Int64) throws -> Int64 {
    try connection.withStatement(for: "SELECT \(function)(?, ?)") { statement in
      statement.bind(1, left)
      statement.bind(2, right)
      guard try statement.step() else { return 0 }
      #expect(statement.type(0) == .integer)
      return statement.int64(0)
    }
  }

  @Test func integersAsSwiftHasThem() throws {
    let operations: [(String, (Int64, Int64) -> (partialValue: Int64, overflow: Bool))] = [
      ("larder_add", { $0.addingReportingOverflow($1) }), ("larder_sub", { $0.subtractingReportingOverflow($1) }),
      ("larder_mul", { $0.multipliedReportingOverflow(by: $1) }),
      ("larder_div", { $0.dividedReportingOverflow(by: $1) }),
      ("larder_mod", { $0.remainderReportingOverflow(dividingBy: $1) }),
    ]
    for (name, operation) in operations {
      for left in Self.interesting {
        for right in Self.interesting {
          let divides = name == "larder_div" || name == "larder_mod"
          let (value, overflow) = operation(left, right)
          if divides && right == 0 {
            let error = #expect(throws: SQLiteError.self) { try call(name, left, right) }
            #expect(error?.arithmetic == .divisionByZero(function: name))
          } else if overflow {
            let error = #expect(throws: SQLiteError.self) { try call(name, left, right) }
            #expect(error?.arithmetic == .overflow(function: name))
            #expect(error?.message.contains("\(left)") == false)
          } else {
            #expect(try call(name, left, right) == value)
          }
        }
      }
    }
  }

  @Test func doublesNullsAndOthers() throws {
    func one(_ sql: String) throws -> String {
      try connection.withStatement(for: "SELECT " + sql) { try $0.step() ? "\($0.type(0)) \($0.double(0))" : "" }
    }
    #expect(try one("larder_div(1.0, 0.0)") == "real inf")
    #expect(try one("larder_div(-1.0, 0)") == "real -inf")
    #expect(try one("larder_div(0.0, 0.0)") == "null 0.0")
    #expect(try one("larder_mod(-7.5, 2.0)") == "real -1.5")
    #expect(try one("larder_add(1, 0.5)") == "real 1.5")
    #expect(try one("larder_neg(0.5)") == "real -0.5")
    #expect(try one("larder_neg(5)") == "integer -5.0")
    #expect(try one("larder_add(1, NULL)") == "null 0.0")
    #expect(try one("larder_neg(NULL)") == "null 0.0")
    let text = #expect(throws: SQLiteError.self) { try one("larder_add('1', 1)") }
    #expect(text?.arithmetic == .notANumber(function: "larder_add"))
    let overflow = #expect(throws: SQLiteError.self) { try one("larder_neg(-9223372036854775808)") }
    #expect(overflow?.arithmetic == .overflow(function: "larder_neg"))
    #expect(SQLiteError(code: 1, message: "no such table", context: "").arithmetic == nil)
  }
}

@Suite struct DecimalCollationTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE d(position INTEGER, text TEXT)")
  }

  /// The value of a decimal with up to six digits after the point, times 10^6.
  private static func scaled(_ text: String) -> Int64 {
    let negative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: ".")
    let fraction = parts.count > 1 ? String(parts[1]) : ""
    let value = (Int64(parts[0]) ?? 0) * 1_000_000 + (Int64((fraction + "000000").prefix(6)) ?? 0)
    return negative ? -value : value
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func theOrderIsThatOfTheValues(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func decimal() -> String {
      let whole = Int64.random(
        in: 0...Int64([0, 9, 99, 99_999_999].randomElement(using: &random) ?? 0), using: &random)
      let digits = Int.random(in: 0...6, using: &random)
      let fraction = (0..<digits).map { _ in "\([0, 0, 1, 5, 9].randomElement(using: &random) ?? 0)" }.joined()
      let zeros = Bool.random(using: &random) ? "" : "00"
      return (Bool.random(using: &random) ? "-" : "") + zeros + "\(whole)" + (digits == 0 ? "" : "." + fraction)
    }
    let compare = try connection.statement(
      for: "SELECT ?1 < ?2 COLLATE larder_decimal, ?1 = ?2 COLLATE larder_decimal, ?1 > ?2 COLLATE larder_decimal")
    for _ in 0..<5_000 {
      let (left, right) = (decimal(), decimal())
      compare.bind(1, left)
      compare.bind(2, right)
      #expect(try compare.step())
      let found = [compare.int64(0), compare.int64(1), compare.int64(2)].map { $0 == 1 }
      let (a, b) = (Self.scaled(left), Self.scaled(right))
      #expect(found == [a < b, a == b, a > b], "\(left) and \(right)")
      compare.reset()
    }
  }

  @Test func longOnesExactly() throws {
    let digits = String(repeating: "1234567890", count: 16)
    let ascending = [
      "-\(digits)1.5", "-\(digits)", "-1", "-0.\(digits)", "0", "0.\(digits)", "0.\(digits)1", "\(digits).1",
      "\(digits).2", "9\(digits)",
    ]
    let others = ["", "+1", "-", "1.", "1e3", "NaN", "x"]
    for (position, text) in (ascending + others.sorted()).enumerated().reversed() {
      try connection.withStatement(for: "INSERT INTO d VALUES (?, ?)") {
        $0.bind(1, Int64(position))
        $0.bind(2, text)
        try $0.run()
      }
    }
    let order = try connection.withStatement(for: "SELECT position FROM d ORDER BY text COLLATE larder_decimal") {
      var order: [Int64] = []
      while try $0.step() { order.append($0.int64(0)) }
      return order
    }
    #expect(order == (0..<Int64(ascending.count + others.count)).map { $0 })
    #expect(try connection.int64("SELECT '-0.00' = '0' COLLATE larder_decimal") == 1)
  }
}

@Suite struct ScalarFunctionTests {
  @Test func argumentsAndResults() throws {
    let connection = try Connection(path: ":memory:")
    try connection.register(function: "describe", arguments: -1, deterministic: true) { call in
      let parts = (0..<call.count).map { index in
        switch call.type(index) {
        case .integer: "i\(call.int64(index))"
        case .real: "r\(call.double(index))"
        case .text: "t" + call.string(index)
        case .blob: call.withBytes(index) { "b\($0.count)" }
        case .null: "n"
        }
      }
      call.result(parts.joined(separator: " "))
    }
    #expect(try connection.string("SELECT describe(1, 0.5, 'x', '', x'00ff', x'', NULL)") == "i1 r0.5 tx t b2 b0 n")
    #expect(try connection.string("SELECT describe()") == "")
    try connection.register(function: "kinds", arguments: 1, deterministic: false) { call in
      switch call.int64(0) {
      case 0: call.result("")
      case 1: call.result([] as [UInt8])
      case 2: call.result(true)
      case 3: call.result(0.5)
      case 4: call.resultNull()
      case 5: call.result("a\0b")
      case 6: call.fail("not six")
      default: break
      }
    }
    let types = try (0...5).map { try connection.string("SELECT typeof(kinds(\($0)))") }
    #expect(types == ["text", "blob", "integer", "real", "null", "text"])
    #expect(try connection.string("SELECT hex(kinds(5))") == "610062")
    #expect(try connection.string("SELECT typeof(kinds(7))") == "null")
    let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT kinds(6)") }
    #expect(error?.message == "not six")
    // It has no place in a schema.
    #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE t(a, b AS (kinds(a)))") }
  }

  private final class Witness {}

  @Test func itLivesAsLongAsItsConnection() throws {
    weak var first: Witness?
    weak var second: Witness?
    func register(_ connection: Connection) throws -> Witness {
      let witness = Witness()
      try connection.register(function: "f", arguments: 0, deterministic: false) { call in
        call.result(withExtendedLifetime(witness) { true })
      }
      return witness
    }
    let connection = try Connection(path: ":memory:")
    first = try register(connection)
    #expect(first != nil)
    second = try register(connection)
    #expect(first == nil)
    #expect(try connection.int64("SELECT f()") == 1)
    connection.close()
    #expect(second == nil)
    // A refused registration keeps nothing.
    let other = try Connection(path: ":memory:")
    weak var refused: Witness?
    do {
      let witness = Witness()
      refused = witness
      #expect(throws: SQLiteError.self) {
        try other.register(function: "f", arguments: 1_000, deterministic: false) { _ in _ = witness }
      }
    }
    #expect(refused == nil)
  }
}
