import Testing

@Suite struct RecordTests {
  @Test func expansion() {
    #expect(
      expand(
        """
        @JSONReadable(keys: .convertFromSnakeCase, dates: .secondsSince1970)
        public struct Trip {
          let remoteID: String
          var days: [Date]?
          var count = 1
          var total: Int { count }
        }
        """
      ).text.drop { $0 == "\n" } == """
        public struct Trip {
          let remoteID: String
          var days: [Date]?
          var count = 1
          var total: Int { count }
        }

        extension Trip: LarderJSON.JSONReadable {
          public init(reading reader: inout LarderJSON.JSONReader) throws {
            var value0: Swift.Optional<String> = nil
            var value1: Swift.Optional<[Date]?> = nil
            var value2: Swift.Optional<Int> = nil
            try reader.beginObject()
            keys: while var key = try reader.nextKey() {
              while true {
                switch key.count {
                case 9 where key.word == 0x695f65746f6d6572 && key.word(at: 1) == 0x64695f65746f6d65, 8 where key.word == 0x444965746f6d6572:
                  if value0 == nil {
                    value0 = .some(try reader.readString())
                    continue keys
                  }
                case 4 where key.word == 0x73796164:
                  if value1 == nil {
                    value1 = .some(try reader.readNull() ? nil : try reader.readArray { (reader: inout LarderJSON.JSONReader) throws -> Date in try reader.readDate(.secondsSince1970) })
                    continue keys
                  }
                case 5 where key.word == 0x746e756f63:
                  if value2 == nil {
                    value2 = .some(try reader.readInteger(Int.self))
                    continue keys
                  }
                default: break
                }
                guard let converted = reader.camelCased(key) else { break }
                key = converted
              }
              try reader.skipValue()
            }
            guard let value0 else { throw reader.missingKey("remote_id") }
            self.remoteID = value0
            if let value1 { self.days = value1 }
            if let value2 { self.count = value2 }
          }
        }
        """)
  }

  @Test func classesHaveItInTheirBraces() {
    let text = expand("@JSONReadable\nfinal class Trip {\n  let id: Int\n}").text
    #expect(text.contains("let id: Int\n\n  init(reading reader: inout LarderJSON.JSONReader) throws {"))
    #expect(text.contains("extension Trip: LarderJSON.JSONReadable {"))
  }

  @Test func anInitializerOfOnesOwnStays() {
    let text = expand(
      "@JSONReadable\nstruct Trip {\n  let id: Int\n  init(reading reader: inout JSONReader) throws { id = 1 }\n}"
    ).text
    #expect(!text.contains("value0"))
    #expect(text.contains("extension Trip: LarderJSON.JSONReadable {"))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let source: String
    let diagnostics: [String]
    var fixed: [String] = []
    var testDescription: String { name }
  }

  static func member(_ name: String, _ member: String, _ diagnostics: [String], fixed: String? = nil) -> Case {
    func source(_ member: String) -> String { "@JSONReadable struct Trip {\n  \(member)\n}" }
    return Case(
      name: name, source: source(member), diagnostics: diagnostics, fixed: fixed.map { [source($0)] } ?? [])
  }

  static let cases: [Case] = [
    Case(
      name: "class", source: "@JSONReadable class Trip {}",
      diagnostics: [
        "1:15 error: a class that is @JSONReadable must be final: a subclass would have properties that nothing reads"
      ], fixed: ["@JSONReadable final class Trip {}"]),
    Case(
      name: "enum", source: "@JSONReadable enum Kind: String { case a }",
      diagnostics: [
        "1:15 error: @JSONReadable writes how an object is read; an enum with a raw value needs only to conform, as in "
          + "': String, JSONReadable', and another one needs an init(reading:) of your own"
      ]),
    Case(
      name: "actor", source: "@JSONReadable actor Store {}",
      diagnostics: ["1:15 error: @JSONReadable belongs on a struct or a final class, and not on 'actor'"]),
    Case(
      name: "private type inside another",
      source: "struct Outer {\n  @JSONReadable private struct Trip { var id: Int }\n}",
      diagnostics: [
        "2:17 error: a type inside another that is @JSONReadable cannot be 'private': its conformance is written "
          + "outside, where it would not be seen; use 'fileprivate'"
      ], fixed: ["struct Outer {\n  @JSONReadable fileprivate struct Trip { var id: Int }\n}"]),
    Case(
      name: "keys from elsewhere", source: "@JSONReadable(keys: strategy) struct Trip { var id: Int }",
      diagnostics: [
        "1:21 error: the macro sees only what is written: use .useDefaultKeys or .convertFromSnakeCase itself here"
      ]),
    member("no type", "var id = makeID()", ["2:7 error: 'id' needs its type written here, as in 'id: String'"]),
    member(
      "pattern", "var (a, b) = (1, 2)",
      ["2:7 error: the names in a pattern have no types of their own; write one 'var' for each"]),
    member(
      "tuple", "var point: (Int, Int)",
      ["2:14 error: a tuple cannot be read from JSON; use a struct that is @JSONReadable"]),
    member(
      "tuple inside", "var points: [(x: Int, y: Int)]?",
      ["2:16 error: a tuple cannot be read from JSON; use a struct that is @JSONReadable"]),
    member(
      "closure", "var done: () -> Void",
      [
        "2:13 error: a function cannot be read from JSON; give the property a value, and leave it out of CodingKeys"
      ]),
    member(
      "existential", "var value: any Codable",
      ["2:14 error: JSON does not say which type 'any Codable' is; use a concrete one"]),
    member(
      "any", "var value: [String: Any]", ["2:23 error: JSON does not say which type 'Any' is; use a concrete one"]),
    member(
      "metatype", "var type: Int.Type",
      ["2:13 error: a type itself cannot be read from JSON; read its name, and look it up"]),
    member(
      "keys of a dictionary", "var counts: [Int: String]",
      [
        "2:16 error: keys of a JSON object are strings; use [String: …], or write init(reading:) for a type of your own"
      ]),
    member(
      "constant", "let version: Int = 1",
      ["2:7 warning: 'version' keeps the value that it is given here and is not read; make it a 'var' to read it"],
      fixed: "var version: Int = 1"),
    member(
      "not in CodingKeys", "var id: Int\n  enum CodingKeys: CodingKey {}",
      ["2:7 error: 'id' is not in CodingKeys and has no value; add a case, or give it a value"]),
    member(
      "key without property", "enum CodingKeys: String, CodingKey { case id }",
      ["2:45 error: there is no stored property 'id' to read; remove the case"]),
    member(
      "raw value", "var id: Int\n  enum CodingKeys: String, CodingKey { case id = \"a\\(1)\" }",
      ["3:50 error: the macro sees only what is written: a raw value of CodingKeys must be a plain string"]),
    member(
      "same key", "var a: Int\n  var b: Int\n  enum CodingKeys: String, CodingKey { case a = \"x\", b = \"x\" }",
      ["3:7 error: 'b' and 'a' would both be read from \"x\"; rename one in CodingKeys"]),
    member(
      "condition", "#if DEBUG\n  var a: Int\n  #endif",
      ["3:3 error: @JSONReadable cannot know whether '#if DEBUG' holds; write this outside of #if"]),
    member(
      "condition of a key", "var a: Int\n  enum CodingKeys: String, CodingKey {\n  #if DEBUG\n  case a\n  #endif\n  }",
      ["5:3 error: @JSONReadable cannot know whether '#if DEBUG' holds; write this outside of #if"]),
    member(
      "date that is none", "@JSONDate(.iso8601) var a: Int",
      ["2:3 error: @JSONDate says how a Date is written, and this is none; remove it"]),
    Case(
      name: "parameter pack", source: "@JSONReadable struct Trip<each T> {\n  var id: Int\n}",
      diagnostics: ["1:27 error: a type with a parameter pack cannot be @JSONReadable; write init(reading:)"]),
  ]

  @Test(arguments: cases) func diagnostics(_ test: Case) {
    let expansion = expand(test.source)
    #expect(expansion.diagnostics == test.diagnostics)
    #expect(expansion.fixed == test.fixed)
  }

  @Test func whatIsFine() {
    let source = """
      @JSONReadable struct Trip<Item, Unused> {
        static var all: (Int, Int) = (0, 0)
        lazy var cache: () -> Void = {}
        var items: [Item]
        var computed: (Int, Int) { (0, 0) }
        var observed: Int { didSet {} }
        var a, b: Swift.Int
        var action: () -> Void = {}
        enum CodingKeys: CodingKey { case items, observed, a, b }
      }
      """
    let expansion = expand(source)
    #expect(expansion.diagnostics == [])
    #expect(expansion.text.contains("extension Trip: LarderJSON.JSONReadable where Item: LarderJSON.JSONReadable {"))
  }
}
