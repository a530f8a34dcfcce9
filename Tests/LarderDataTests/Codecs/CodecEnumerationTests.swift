import Foundation
import LarderData
import LarderSQLite
import Testing

@Suite struct CodecEnumerationTests {
  enum Kind: String, Codable {
    case quake
    case blast = "quarry blast"
    case ice
  }
  enum Level: Int8, Codable {
    case low = -1
    case high = 100
  }
  struct Flags: OptionSet, Codable { let rawValue: UInt32 }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case point
  }

  @Test func rawValues() throws {
    let kinds = try CodecTable(Kind.self)
    #expect(kinds.columnNames == ["c"])
    for kind in [Kind.quake, .blast, .ice] { try kinds.expectRoundTrip(kind) }
    #expect(try kinds.write(.blast) == nil)
    #expect(try kinds.stored() == [.text("quarry blast")])
    #expect(!kinds.codec.isSame(.quake, .ice))

    let levels = try CodecTable(Level.self)
    try levels.expectRoundTrip(.low)
    #expect(try levels.stored() == [.integer(-1)])
    try CodecTable(Flags.self).expectRoundTrip(Flags(rawValue: 5))
  }

  @Test func optionals() throws {
    let table = try CodecTable(Kind?.self)
    #expect(table.codec.columns.map(\.isOptional) == [true])
    try table.expectRoundTrip(.ice)
    try table.expectRoundTrip(nil)
    #expect(try table.stored() == [.null])
    #expect(!table.codec.isSame(nil, .ice))
  }

  @Test func anUnknownRawValueIsReported() throws {
    let text = try CodecTable(Kind.self).problem(afterWriting: .ice, then: "UPDATE t SET c = 'meteor'")
    #expect(text.contains("Kind") && text.contains("\"meteor\""))
    let number = try CodecTable(Level?.self).problem(afterWriting: .low, then: "UPDATE t SET c = 7")
    #expect(number.contains("Level") && number.contains("7"))
    // A number that the raw type cannot hold is told as such.
    let large = try CodecTable(Level?.self).problem(afterWriting: .low, then: "UPDATE t SET c = 1000")
    #expect(large.contains("1000"))
  }

  @Test func withPayloadsAreJSON() throws {
    let table = try CodecTable(Shape.self)
    for shape in [Shape.circle(radius: 0.1), .point] { try table.expectRoundTrip(shape) }
    if case .json? = table.codec.columns.first?.form {} else { Issue.record("a payload is kept as JSON") }
  }
}
