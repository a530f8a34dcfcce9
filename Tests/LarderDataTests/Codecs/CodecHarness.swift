import Foundation
import LarderData
import LarderSQLite
import TestSeeds
import Testing

/// A table with the columns of one codec, to write a value into and read it back.
struct CodecTable<Value> {
  let codec: _PropertyCodec<Value>
  let connection: Connection
  private let insert: Statement
  private let select: Statement

  init(_ type: Value.Type = Value.self, whole: Bool = false) throws {
    let made = whole ? _AnyPropertyCodec.makeCodableCodec(for: type) : _AnyPropertyCodec.makeCodec(for: type)
    codec = try #require(made as? _PropertyCodec<Value>)
    connection = try Connection(path: ":memory:")
    let columns = codec.columns.map {
      "\"c\($0.suffix)\" \($0.type.rawValue)\($0.isOptional ? "" : " NOT NULL")"
    }
    try connection.execute("CREATE TABLE t(\(columns.joined(separator: ", "))) STRICT")
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    insert = try connection.prepare("INSERT INTO t VALUES (\(places))")
    select = try connection.prepare("SELECT * FROM t")
  }

  var columnNames: [String] { codec.columns.map { "c" + $0.suffix } }

  /// Writes a value as the only row; the reason, if it cannot be stored.
  func write(_ value: Value?) throws -> String? {
    try connection.execute("DELETE FROM t")
    var binder = _RowBinder(statement: insert, layout: testLayout)
    codec.write(value, to: &binder)
    #expect(Int(binder.nextIndex) == codec.columns.count + 1)
    if let problem = binder.firstProblem {
      insert.reset()
      return problem.reason
    }
    try insert.run()
    return nil
  }

  /// The value of the only row, and what could not be read of it.
  func read() throws -> (value: Value?, problem: String?) {
    let problems = _RowProblems()
    defer { select.reset() }
    try #require(try select.step())
    let row = _RowReader(statement: select.handle, layout: testLayout, problems: problems)
    let value = codec.read(row, 0)
    return (value, problems.first)
  }

  /// The value after it was stored and read.
  func roundTrip(_ value: Value) throws -> Value {
    try #require(try write(value) == nil)
    let (copy, problem) = try read()
    #expect(problem == nil)
    return try #require(copy)
  }

  /// The value after it was taken apart into stored values and put together again.
  func throughStoredValues(_ value: Value) throws -> Value {
    let sink = _RowSink()
    var binder = _RowBinder(sink: sink, layout: testLayout)
    codec.write(value, to: &binder)
    try #require(binder.firstProblem == nil)
    #expect(sink.values.count == codec.columns.count)
    let problems = _RowProblems()
    let row = _RowReader(source: _RowSource(sink.values + [.text("next")]), layout: testLayout, problems: problems)
    let copy = codec.read(row, 0)
    #expect(problems.first == nil)
    // Neither more nor less was taken.
    #expect(row.read(0, as: String.self) == "next")
    return try #require(copy)
  }

  /// The stored values of the only row.
  func stored() throws -> [_StoredValue] {
    defer { select.reset() }
    try #require(try select.step())
    let row = _RowReader(statement: select.handle, layout: testLayout, problems: _RowProblems())
    return codec.columns.indices.map { row.storedValue($0) }
  }

  /// Stores the value both ways, and expects one with the same stored form and the same JSON.
  func expectRoundTrip(_ value: Value, _ comment: Comment? = nil) throws {
    #expect(codec.isSame(value, value), comment)
    #expect(codec.isSame(try roundTrip(value), value), comment)
    #expect(codec.isSame(try throughStoredValues(value), value), comment)
  }

  /// What a value's refusal says.
  func refusal(_ value: Value) throws -> String { try #require(try write(value)) }

  /// What reading says after the row was changed by other means.
  func problem(afterWriting value: Value, then sql: String) throws -> String {
    try #require(try write(value) == nil)
    try connection.execute(sql)
    let (copy, problem) = try read()
    #expect(copy == nil)
    return try #require(problem)
  }
}

/// Values that codecs have to keep.
extension SeededGenerator {
  mutating func double() -> Double {
    while true {
      let value = Double(bitPattern: next())
      if !value.isNaN { return value }
    }
  }

  mutating func string() -> String {
    let alphabet: [Character] = ["a", "é", "e\u{301}", "\0", "🇨🇭", "👩‍👩‍👧", "\"", "\\", "\n", "ß", "中", "\u{10FFFF}", " "]
    return String((0..<Int.random(in: 0...12, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
  }
}
