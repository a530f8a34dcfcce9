import Foundation
import LarderData
import LarderSQLite
import TestSeeds
import Testing

@Suite struct CodecJSONTests {
  struct Deep: Codable, Equatable {
    var date: Date
    var data: Data
    var amount: Decimal
    var list: [Double?]
    var table: [String: [Int]]
    var url: URL?
  }

  /// Its coding is its own: other names, and a value that is written in another form.
  struct Renamed: Codable, Equatable {
    var first: String
    var second: Int
    enum CodingKeys: String, CodingKey {
      case first = "eins"
      case second
    }
  }

  struct Grown: Codable, Equatable {
    var old: [Int]
    var added: String
    init(old: [Int], added: String) {
      self.old = old
      self.added = added
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      old = try container.decode([Int].self, forKey: .old)
      added = try container.decodeIfPresent(String.self, forKey: .added) ?? "later"
    }
  }

  /// Has no `==`.
  struct Plain: Codable { var numbers: [Double] }
  final class Reference: Codable {
    var name = "r"
  }

  @Test func valuesComeBackExactly() throws {
    var random = Share.generator
    let table = try CodecTable(Deep.self)
    for _ in 0..<100 {
      let seconds = Double.random(in: -1e10...1e10, using: &random)
      let finite = random.double()
      let value = Deep(
        date: Date(timeIntervalSinceReferenceDate: seconds),
        data: Data((0..<5).map { _ in UInt8.random(in: 0...255, using: &random) }),
        amount: Decimal(sign: .minus, exponent: .random(in: -100...80, using: &random), significand: 123_456_789),
        list: [finite.isFinite ? finite : 0, nil, 0.1, -0.0],
        table: [random.string(): [1, 2], "b": [], "a/b": [.min, .max]], url: URL(string: "https://example.org/a/b"))
      let copy = try table.roundTrip(value)
      #expect(copy == value, "LARDER_SEED=\(random.seed)")
      #expect(try table.throughStoredValues(value) == value)
      #expect(copy.date.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    }
  }

  @Test func collections() throws {
    try CodecTable([String].self).expectRoundTrip(["a", "\0", "é", "\"", ""])
    try CodecTable([String: Date].self).expectRoundTrip(["now": .now])
    try CodecTable(Set<Int>.self).expectRoundTrip([3, 1, 2])
    try CodecTable([UUID: [Int]].self).expectRoundTrip([UUID(): [1], UUID(): []])
    try CodecTable([[Int]?].self).expectRoundTrip([nil, [1]])
    try CodecTable(ClosedRange<Int>.self).expectRoundTrip(1...3)
    let optional = try CodecTable([Int]?.self)
    try optional.expectRoundTrip([1])
    try optional.expectRoundTrip(nil)
    #expect(try optional.stored() == [.null])
  }

  @Test func textIsStable() throws {
    let sets = try CodecTable(Set<String>.self)
    let words = (0..<100).map { "word \($0)" }
    var texts: Set<_StoredValue> = []
    var random = Share.generator
    for capacity in [0, 200, 1_000, 5_000] {
      var set = Set<String>(minimumCapacity: capacity)
      for word in words.shuffled(using: &random) { set.insert(word) }
      #expect(try sets.write(set) == nil)
      texts.formUnion(try sets.stored())
    }
    #expect(texts.count == 1, "LARDER_SEED=\(random.seed)")

    let nested = try CodecTable([String: Int].self)
    #expect(try nested.write(["b": 1, "a/": 2]) == nil)
    #expect(try nested.stored() == [.text(#"{"a/":2,"b":1}"#)])
    let pairs = try CodecTable([Double: Set<Int>].self)
    #expect(try pairs.write([2: [2, 1], 1: []]) == nil)
    #expect(try pairs.stored() == [.text("[1,[],2,[1,2]]")])
    #expect(try pairs.read().value == [2: [2, 1], 1: []])
  }

  @Test func ownCodingIsUsed() throws {
    let table = try CodecTable(Renamed.self)
    #expect(table.columnNames == ["c"])
    try table.expectRoundTrip(Renamed(first: "a", second: 1))
    #expect(try table.stored() == [.text(#"{"eins":"a","second":1}"#)])
    try CodecTable(Reference.self).expectRoundTrip(Reference())

    let grown = try CodecTable(Grown.self)
    #expect(try grown.write(Grown(old: [1], added: "x")) == nil)
    try grown.connection.execute(#"UPDATE t SET c = '{"old":[1]}'"#)
    #expect(try grown.read().value == Grown(old: [1], added: "later"))
  }

  @Test func numbersThatJSONCannotHoldAreRefused() throws {
    #expect(
      try CodecTable(Plain.self).refusal(Plain(numbers: [1, .nan]))
        == "at numbers[1], it is NaN, which JSON cannot hold")
    #expect(try CodecTable([Double].self).refusal([.infinity]).contains("infinite"))
    #expect(try CodecTable([Float].self).refusal([-.infinity]).contains("infinite"))
    #expect(try CodecTable([Date].self).refusal([Date(timeIntervalSinceReferenceDate: .nan)]).contains("NaN"))
    #expect(try CodecTable([Decimal].self).refusal([1, .nan]).contains("NaN"))
    // Text is not taken for a number.
    try CodecTable([String].self).expectRoundTrip(["NaN", "\"N", "\\", "\\\"NaN"])
    try CodecTable([String: Decimal].self).expectRoundTrip(["NaN\\": 1])
  }

  @Test func badJSONIsReportedWithItsPlace() throws {
    let table = try CodecTable(Plain.self)
    let value = Plain(numbers: [1])
    let wrong = try table.problem(afterWriting: value, then: #"UPDATE t SET c = '{"numbers":[1,"x"]}'"#)
    #expect(wrong.contains("Plain") && wrong.contains("numbers[1]"))
    let missing = try table.problem(afterWriting: value, then: "UPDATE t SET c = '{}'")
    #expect(missing.contains("at numbers, there is no such key"))
    for text in ["", "{", "nonsense", "[NaN]"] {
      #expect(try table.problem(afterWriting: value, then: "UPDATE t SET c = '\(text)'").contains("Plain"))
    }
  }

  @Test func sameness() throws {
    let plain = try CodecTable(Plain.self).codec
    #expect(plain.isSame(Plain(numbers: [1]), Plain(numbers: [1])))
    #expect(!plain.isSame(Plain(numbers: [1]), Plain(numbers: [2])))
    #expect(!plain.isSame(Plain(numbers: [.nan]), Plain(numbers: [.nan])))
    let sets = try CodecTable(Set<Int>.self).codec
    #expect(sets.isSame([1, 2, 3], [3, 2, 1]))
    #expect(!sets.isSame([1], [2]))
    // A type may call two equal that are stored otherwise.
    struct Comment: Codable, Equatable {
      var id: Int
      var text: [String]
      static func == (left: Comment, right: Comment) -> Bool { left.id == right.id }
    }
    let comments = try CodecTable([Comment].self).codec
    #expect(comments.isSame([Comment(id: 1, text: ["a"])], [Comment(id: 1, text: ["a"])]))
    #expect(!comments.isSame([Comment(id: 1, text: ["a"])], [Comment(id: 1, text: ["b"])]))
    let words = try CodecTable([String].self).codec
    #expect(!words.isSame(["\u{E9}"], ["e\u{301}"]))
  }

  @Test func oneCodecServesManyThreads() async throws {
    let layout = testLayout
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let codec = layout.properties.first { $0.name == "tags" }?.codec as? _PropertyCodec<[String]>
          guard let codec else { return false }
          for step in 0..<200 {
            let value = ["\(number)", "\(step)"]
            let sink = _RowSink()
            var binder = _RowBinder(sink: sink, layout: layout)
            codec.write(value, to: &binder)
            let row = _RowReader(source: _RowSource(sink.values), layout: layout, problems: _RowProblems())
            if codec.read(row, 0) != value { return false }
          }
          return true
        }
      }
      for await result in group { #expect(result) }
    }
  }
}
