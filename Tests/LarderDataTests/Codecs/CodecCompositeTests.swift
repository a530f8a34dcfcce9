import Foundation
import LarderData
import LarderSQLite
import TestSeeds
import Testing

@Suite struct CodecCompositeTests {
  struct Location: Codable, Equatable { var name: String, longitude: Double, latitude: Double }
  enum Kind: String, Codable, CaseIterable { case quake, blast }
  enum Level: Int, Codable {
    case low = 1
    case high = 5
  }
  struct Inner: Codable, Equatable { var small: Int8, text: String? }

  /// Every sort of member.
  struct Everything: Codable, Equatable {
    var flag: Bool
    var small: UInt8
    var number: Int?
    let name: String
    var kind: Kind
    var level: Level?
    var inner: Inner
    var maybe: Inner?
    var amount: Decimal
    var identifier: UUID
    var time: Date
    var bytes: Data?
    var link: URL?
    var ratio: Float
    var large: Int64
  }

  private func random(_ random: inout SeededGenerator) throws -> Everything {
    func inner() -> Inner {
      Inner(
        small: .random(in: .min ... .max, using: &random), text: Bool.random(using: &random) ? random.string() : nil)
    }
    func sometimes<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    let seconds = Double.random(in: -1e10...1e10, using: &random)
    return Everything(
      flag: .random(using: &random), small: .random(in: 0...255, using: &random),
      number: sometimes(.random(in: .min ... .max, using: &random)), name: random.string(),
      kind: Kind.allCases.randomElement(using: &random) ?? .quake, level: sometimes(.high), inner: inner(),
      maybe: sometimes(inner()),
      amount: Decimal(
        sign: .minus, exponent: -3, significand: Decimal(UInt64.random(in: 0...UInt64.max, using: &random))),
      identifier: UUID(), time: Date(timeIntervalSinceReferenceDate: seconds),
      bytes: sometimes(Data([1, 2, UInt8.random(in: 0...255, using: &random)])),
      link: sometimes(try #require(URL(string: "https://example.org/?q=\(random.next())"))),
      ratio: .random(in: -10...10, using: &random), large: .random(in: .min ... .max, using: &random))
  }

  @Test func aColumnForEachMember() throws {
    let table = try CodecTable(Location.self)
    #expect(table.columnNames == ["c_name", "c_longitude", "c_latitude"])
    let value = Location(name: "Alaska", longitude: -150.5, latitude: 60)
    try table.expectRoundTrip(value)
    #expect(try table.stored() == [.text("Alaska"), .real(-150.5), .real(60)])
    let members = try #require(table.codec.members)
    #expect(members.map(\.name) == ["name", "longitude", "latitude"])
    #expect(members.map(\.offset) == [0, 16, 24])
    #expect(members.map(\.columns) == [0..<1, 1..<2, 2..<3])
  }

  @Test func agreesWithTheTypesOwnCoding() throws {
    var generator = Share.generator
    let flat = try CodecTable(Everything.self)
    let whole = try CodecTable(Everything.self, whole: true)
    let optional = try CodecTable(Everything?.self)
    #expect(flat.codec.members != nil && whole.codec.members == nil)
    for _ in 0..<300 {
      let value = try random(&generator)
      let comment: Comment = "LARDER_SEED=\(generator.seed)"
      #expect(try flat.roundTrip(value) == whole.roundTrip(value), comment)
      #expect(try flat.throughStoredValues(value) == value, comment)
      #expect(try optional.roundTrip(value) == value, comment)
      #expect(try optional.throughStoredValues(value) == value, comment)
      let other = try random(&generator)
      #expect(flat.codec.isSame(value, other) == (value == other), comment)
    }
    try optional.expectRoundTrip(nil)
  }

  @Test func nested() throws {
    struct Outer: Codable, Equatable {
      var before: Int
      var inner: Location
      var maybe: Location?
      var after: String?
    }
    let table = try CodecTable(Outer.self)
    #expect(
      table.columnNames == [
        "c_before", "c_inner_name", "c_inner_longitude", "c_inner_latitude", "c_maybe", "c_maybe_name",
        "c_maybe_longitude", "c_maybe_latitude", "c_after",
      ])
    let members = try #require(table.codec.members)
    #expect(members[1].columns == 1..<4)
    #expect(members[1].members?.map(\.columns) == [1..<2, 2..<3, 3..<4])
    #expect(members[1].members?.map(\.offset) == [8, 24, 32])
    #expect(members[2].members?.map(\.columns) == [5..<6, 6..<7, 7..<8])
    let place = Location(name: "a", longitude: 1, latitude: 2)
    let optional = try CodecTable(Outer?.self)
    for value in [
      Outer(before: 1, inner: place, maybe: place, after: "x"), Outer(before: 2, inner: place, maybe: nil, after: nil),
    ] {
      try table.expectRoundTrip(value)
      try optional.expectRoundTrip(value)
    }
    try optional.expectRoundTrip(nil)
  }

  @Test func optionalsHaveAPresenceColumn() throws {
    struct Note: Codable, Equatable { var text: String? }
    let table = try CodecTable(Note?.self)
    #expect(table.columnNames == ["c", "c_text"])
    #expect(table.codec.columns.map(\.isOptional) == [false, true])
    if case .presence? = table.codec.columns.first?.form {} else { Issue.record("the first column is the presence") }
    #expect(table.codec.members?.first?.columns == 1..<2)
    // nil and a value of nothing but nils are not the same.
    try table.expectRoundTrip(Note(text: nil))
    #expect(try table.stored() == [.integer(1), .null])
    try table.expectRoundTrip(nil)
    #expect(try table.stored() == [.integer(0), .null])
    #expect(!table.codec.isSame(nil, Note(text: nil)))
  }

  @Test func aMemberThatIsMissingIsReported() throws {
    let place = Location(name: "a long name that lives on the heap", longitude: 1, latitude: 2)
    let table = try CodecTable(Location?.self)
    let problem = try table.problem(afterWriting: place, then: "UPDATE t SET c_latitude = NULL")
    #expect(problem.contains("Double"))
    // Those already made are destroyed: the leak and address checks of the sanitizers see to it.
    let everything = try CodecTable(Everything.self)
    var generator = Share.generator
    let unknown = try everything.problem(
      afterWriting: random(&generator), then: "UPDATE t SET c_kind = 'meteor', c_name = hex(randomblob(50))")
    #expect(unknown.contains("Kind") && unknown.contains("meteor"))
  }

  @Test func whatCannotBeStoredIsRefusedAtItsColumn() throws {
    let table = try CodecTable(Location.self)
    let sink = _RowSink()
    var binder = _RowBinder(sink: sink, layout: testLayout)
    table.codec.write(Location(name: "", longitude: .nan, latitude: 0), to: &binder)
    #expect(binder.firstProblem?.position == 2)
    #expect(binder.firstProblem?.reason.contains("NaN") == true)
    #expect(sink.values.count == 3)
    #expect(try table.write(nil) != nil)
    #expect(try CodecTable(Location?.self).write(.none) == nil)
  }

  @Test func samenessGoesByBytes() throws {
    let codec = try CodecTable(Location.self).codec
    let composed = Location(name: "\u{E9}", longitude: 0, latitude: 0)
    let decomposed = Location(name: "e\u{301}", longitude: 0, latitude: 0)
    #expect(composed == decomposed)
    #expect(!codec.isSame(composed, decomposed))
  }

  // MARK: What is not flat, or has a coding of its own

  struct WithList: Codable { var name: String, tags: [String] }
  struct OwnKeys: Codable {
    var name: String
    enum CodingKeys: String, CodingKey { case name = "title" }
  }
  struct OtherOrder: Codable {
    var first: Int
    var second: Int
    enum CodingKeys: CodingKey { case second, first }
  }
  struct LeftOut: Codable {
    var kept: Int
    var left = 1
    enum CodingKeys: CodingKey { case kept }
  }
  struct Constant: Codable {
    var kept: Int
    private(set) var version = 1
    init(from decoder: any Decoder) throws {
      kept = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .kept)
    }
  }
  struct Changed: Codable {
    var cents: Int
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(cents + 1, forKey: .cents)
    }
  }
  struct Tolerant: Codable {
    var name: String
    init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .name) ?? "none"
    }
  }
  struct Looking: Codable {
    var name: String
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = container.contains(.name) ? try container.decode(String.self, forKey: .name) : ""
    }
  }
  struct OneValue: Codable {
    var name: String
    init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(name)
    }
  }
  struct Unkeyed: Codable {
    var x: Double
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      x = try container.decode(Double.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(x)
    }
  }
  struct Empty: Codable {}
  struct Holder: Codable { var inner: OwnKeys }
  struct HoldsClass: Codable { var object: CodecJSONTests.Reference }

  private let otherTypes: [any Codable.Type] = [
    WithList.self, OwnKeys.self, OtherOrder.self, LeftOut.self, Constant.self, Changed.self, Tolerant.self,
    Looking.self, OneValue.self, Unkeyed.self, Empty.self, Holder.self, HoldsClass.self,
    CodecJSONTests.Reference.self,
    Range<Int>.self, DateComponents.self, Locale.self, [Int].self, CGRect.self, TimeZone.self,
    CharacterSet.self, Calendar.self, PersonNameComponents.self, IndexSet.self,
  ]

  @Test func otherTypesAreJSON() throws {
    for type in otherTypes {
      let codec = try #require(_AnyPropertyCodec.makeCodec(for: type))
      #expect(codec.members == nil, "\(type)")
      #expect(codec.columns.map(\.form) == [.json], "\(type)")
    }
  }

  /// Types that end the program for a value which they never have: such as no stars, or no name.
  struct Rating: Codable, Equatable {
    private enum CodingKeys: CodingKey { case stars }
    let stars: Int
    init(stars: Int) {
      precondition((1...5).contains(stars), "1 to 5 stars")
      self.stars = stars
    }
    init(from decoder: any Decoder) throws {
      self.init(stars: try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .stars))
    }
    func encode(to encoder: any Encoder) throws {
      precondition((1...5).contains(stars), "1 to 5 stars")
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(stars, forKey: .stars)
    }
  }
  struct Rank: RawRepresentable, Codable, Equatable {
    let rawValue: Int
    init(rawValue: Int) {
      precondition(rawValue > 0)
      self.rawValue = rawValue
    }
  }
  struct Named: Codable, Equatable {
    let name: String
    var rating: Rating?
    var level: Rank
    init(name: String, rating: Rating?, level: Rank) {
      precondition(!name.isEmpty)
      (self.name, self.rating, self.level) = (name, rating, level)
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        name: try container.decode(String.self, forKey: .name),
        rating: try container.decodeIfPresent(Rating.self, forKey: .rating),
        level: try container.decode(Rank.self, forKey: .level))
    }
  }

  @Test func typesThatCheckTheirValuesAreStored() throws {
    try CodecTable(Rating.self).expectRoundTrip(Rating(stars: 3))
    try CodecTable(Rating?.self).expectRoundTrip(nil)
    let table = try CodecTable(Named.self)
    for rating in [nil, Rating(stars: 5)] {
      try table.expectRoundTrip(Named(name: "a", rating: rating, level: Rank(rawValue: 2)))
    }
  }

  @Test func namedKeysInTheSameOrderAreFlat() throws {
    struct Named: Codable {
      var first: Int
      var second: String?
      enum CodingKeys: String, CodingKey { case first, second }
    }
    #expect(try CodecTable(Named.self).codec.members?.count == 2)
    #expect(try CodecTable(DateInterval.self).codec.members?.map(\.name) == ["start", "duration"])
    struct Generic<Value: Codable>: Codable { var value: Value }
    #expect(try CodecTable(Generic<Int>.self).codec.members?.count == 1)
    #expect(try CodecTable(Generic<[Int]>.self).codec.members == nil)
  }

  @Test func typesWithoutACodec() {
    #expect(_AnyPropertyCodec.makeCodec(for: (Int, Int).self) == nil)
    #expect(_AnyPropertyCodec.makeCodec(for: (() -> Void).self) == nil)
    #expect(_AnyPropertyCodec.makeCodec(for: Any?.self) == nil)
    #expect(_AnyPropertyCodec.makeCodec(for: [NSObject].self) == nil)
  }
}
