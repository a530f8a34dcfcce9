import Foundation
import LarderData
import LarderSQLite
import TestSeeds
import Testing

@Suite struct CodecScalarTests {
  private func expect<Value: _ColumnValue>(_ values: [Value]) throws {
    let table = try CodecTable(Value.self)
    let optional = try CodecTable(Value?.self)
    #expect(table.columnNames == ["c"])
    for value in values {
      try table.expectRoundTrip(value, "\(value)")
      try optional.expectRoundTrip(value, "\(value)")
    }
    try optional.expectRoundTrip(nil)
    #expect(try table.write(nil) != nil)
    #expect(try optional.write(.none) == nil)
  }

  private func expectIntegers<Value: _IntegerColumnValue>(_ type: Value.Type) throws {
    var random = Share.generator
    let largest = Value(clamping: Int64.max)
    try expect(
      [Value.min, 0, 1, largest] + (0..<50).map { _ in Value.random(in: Value.min...largest, using: &random) })
  }

  @Test func integers() throws {
    try expectIntegers(Int.self)
    try expectIntegers(Int8.self)
    try expectIntegers(Int16.self)
    try expectIntegers(Int32.self)
    try expectIntegers(Int64.self)
    try expectIntegers(UInt.self)
    try expectIntegers(UInt8.self)
    try expectIntegers(UInt16.self)
    try expectIntegers(UInt32.self)
    try expectIntegers(UInt64.self)
    try expect([true, false])
  }

  @Test func largeUnsignedNumbersAreRefused() throws {
    let above = UInt64(Int64.max) + 1
    #expect(try CodecTable(UInt64.self).refusal(above).contains("9223372036854775808"))
    #expect(try CodecTable(UInt64?.self).refusal(UInt64.max).contains("largest number"))
    #expect(try CodecTable(UInt.self).refusal(.max).contains("largest number"))
  }

  @Test func narrowIntegersReportWhatDoesNotFit() throws {
    let table = try CodecTable(Int8.self)
    #expect(try table.write(1) == nil)
    try table.connection.execute("UPDATE t SET c = 128")
    #expect(try table.read().problem?.contains("128") == true)
  }

  @Test func floatingPoint() throws {
    var random = Share.generator
    let edges: [Double] = [
      0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 0.1, 1e300, -1,
    ]
    let doubles = edges + (0..<500).map { _ in random.double() }
    try expect(doubles)
    let table = try CodecTable(Double.self)
    for value in doubles where value != 0 {
      #expect(try table.roundTrip(value).bitPattern == value.bitPattern)
    }
    // −0 becomes 0: SQLite keeps whole numbers as integers.
    #expect(try table.roundTrip(-0.0) == 0)
    try expect([Float.pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1])
    for refused in [Double.nan, -.nan, .signalingNaN] {
      #expect(try table.refusal(refused).contains("NaN"))
    }
    #expect(try CodecTable(Float.self).refusal(.nan).contains("NaN"))
    #expect(try CodecTable(Date.self).refusal(Date(timeIntervalSinceReferenceDate: .nan)).contains("NaN"))
  }

  @Test func datesKeepEveryBit() throws {
    var random = Share.generator
    let table = try CodecTable(Date.self)
    for _ in 0..<500 {
      let seconds = Double.random(in: -1e11...1e11, using: &random)
      let copy = try table.roundTrip(Date(timeIntervalSinceReferenceDate: seconds))
      #expect(copy.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern, "LARDER_SEED=\(random.seed)")
    }
    try expect([Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)])
  }

  @Test func strings() throws {
    var random = Share.generator
    let values = ["", "\0", "a\0b", "\u{FEFF}", "e\u{301}", "\u{E9}", "🏳️‍🌈", String(repeating: "é", count: 10_000)]
    try expect(values + (0..<200).map { _ in random.string() })
    let table = try CodecTable(String.self)
    for value in values {
      #expect(Array(try table.roundTrip(value).utf8) == Array(value.utf8))
    }
    #expect(!table.codec.isSame("e\u{301}", "\u{E9}"))
    #expect(!table.codec.isSame("a", "b"))
    #expect(!table.codec.isSame("a", "a\0"))
  }

  @Test func invalidTextIsRepaired() throws {
    let table = try CodecTable(String.self)
    #expect(try table.write("") == nil)
    try table.connection.execute("UPDATE t SET c = CAST(x'61FF62' AS TEXT)")
    #expect(try table.read().value == "a\u{FFFD}b")
  }

  @Test func otherScalars() throws {
    try expect([UUID(), UUID(), CodecScalarTests.zeroUUID])
    #expect(try CodecTable(UUID.self).problem(of: "no", in: UUID()).contains("UUID"))
    try expect(
      try ["https://example.org/a%20b?q=1#f", "file:///tmp/a", "mailto:a@b.c", "relative/path"].map {
        try #require(URL(string: $0))
      })
    // Relative ones come back with their base, as they were.
    let base = try #require(URL(string: "https://example.org/dir/?a=%3E"))
    let folder = URL(filePath: "/tmp/a b/", directoryHint: .isDirectory)
    let relative = try ["page", "../up?q#f", "/root", "//host/x", "a%3Eb"].map {
      try #require(URL(string: $0, relativeTo: base))
    }
    try expect(relative + [URL(filePath: "c d", relativeTo: folder)])
    #expect(try CodecTable(URL.self).roundTrip(relative[0]).baseURL == base)
    try expect([Data(), Data([0]), Data([0, 255, 0]), Data(repeating: 7, count: 70_000)])
  }

  private static let zeroUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  @Test func columnsOfScalars() throws {
    let decimal = try #require(_AnyPropertyCodec.makeCodec(for: Decimal?.self)?.columns.first)
    #expect(decimal.type == .text && decimal.isOptional)
    if case .natural = decimal.order { Issue.record("decimals are ordered by value") }
    #expect(_AnyPropertyCodec.makeCodec(for: Date.self)?.columns.first?.type == .real)
    #expect(_AnyPropertyCodec.makeCodec(for: Data.self)?.columns.first?.type == .blob)
  }
}

extension CodecTable where Value: _ColumnValue {
  /// What reading a scalar says of a text that is none.
  fileprivate func problem(of text: String, in value: Value) throws -> String {
    try #require(try write(value) == nil)
    try connection.execute("UPDATE t SET c = '\(text)'")
    return try #require(try read().problem)
  }
}
