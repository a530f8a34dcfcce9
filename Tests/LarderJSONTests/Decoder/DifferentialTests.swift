import Foundation
import LarderJSON
import Testing

struct Box<Value: Decodable>: Decodable { var a: Value }
struct Maybe<Value: Decodable>: Decodable { var a: Value? }

enum Color: String, Codable { case red, green }
enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(side: Double, name: String?)
  case none
}

class Animal: Decodable {
  var name: String
  private enum CodingKeys: CodingKey { case name }
}

final class Dog: Animal {
  var age: Int
  private enum CodingKeys: CodingKey { case age }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    age = try container.decode(Int.self, forKey: .age)
    try super.init(from: try container.superDecoder())
  }
}

struct Camel: Decodable {
  var someKey: Int?
  var anURLPath: String?
  var _leading: Int?
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var trailing_: Int?
  var plain: Int?
  var names: [String: Int]?
}

struct Everything: Decodable {
  struct Inner: Decodable {
    var x: Int
    var y: [Double?]
    var z: [String: [Inner]]?
  }
  var id: Int
  var name: String
  var flag: Bool?
  var small: Int8?
  var unsigned: UInt?
  var ratio: Float?
  var price: Decimal?
  var date: Date?
  var link: URL?
  var uuid: UUID?
  var blob: Data?
  var color: Color?
  var tags: [String]?
  var inner: Inner?
  var list: [Inner]?
  var map: [String: Int]?
  var tree: Tree?
  var shape: Shape?
}

/// The same of documents as JSONDecoder, or what the documentation says is otherwise.
@Suite struct DifferentialTests {
  private func compare<Value: Decodable>(
    _ type: Value.Type, _ text: String, ours: StrictJSONDecoder = StrictJSONDecoder(),
    theirs: JSONDecoder = JSONDecoder(), _ location: SourceLocation = #_sourceLocation
  ) {
    let mine = Outcome { try ours.decode(type, from: Data(text.utf8)) }
    let other = Outcome { try theirs.decode(type, from: Data(text.utf8)) }
    #expect(
      mine.agrees(with: other, type: "\(type)"), "\(text) as \(type): \(mine), but JSONDecoder: \(other)",
      sourceLocation: location)
  }

  private static let values = [
    "null", "true", "false", "0", "1", "-1", "1.5", "1.0", "300", "1e2", "1e400", "9223372036854775808", "\"\"",
    "\"x\"",
    "\"1\"", "\"red\"", "\"https://a.b/c?d=e\"", "\"AQID\"", "\"AQI\"", "\"12345678-1234-1234-1234-123456789ABC\"",
    "\"2020-01-02T03:04:05Z\"", "\"\\ud83d\\ude00\\n\"", "[]", "[1]", "[null]", "[\"a\"]", "[1,\"a\"]", "[[1]]", "{}",
    "{\"a\":1}", "{\"a\":null}", "{\"a\":{\"a\":\"b\"}}", "{\"x\":1,\"y\":[1,null,2.5]}", "{\"x\":1,\"y\":[\"q\"]}",
    "{\"b\":1}", "0.1", "123456789.123456789", "1517966773.84", "-0", "-0.0", "{\"circle\":{\"radius\":1}}",
    "{\"square\":{\"side\":2,\"name\":null}}", "{\"none\":{}}", "{\"circle\":{}}", "{\"circle\":1,\"none\":{}}",
  ]

  private func all<Value: Decodable>(_ type: Value.Type) {
    for value in DifferentialTests.values {
      compare(type, value)
      compare([Value].self, "[\(value)]")
      compare(Box<Value>.self, "{\"a\":\(value)}")
      compare(Maybe<Value>.self, "{\"a\":\(value)}")
      compare([Box<[String: Value?]>].self, "[{\"a\":{\"k\":\(value),\"l\":null}},{\"a\":{\"k\":\(value)}}]")
    }
  }

  @Test func scalars() {
    all(Bool.self)
    all(String.self)
    all(Double.self)
    all(Float.self)
    all(Int.self)
    all(Int8.self)
    all(Int16.self)
    all(Int32.self)
    all(Int64.self)
    all(UInt.self)
    all(UInt8.self)
    all(UInt16.self)
    all(UInt32.self)
    all(UInt64.self)
  }

  @Test func typesOfFoundation() {
    all(Decimal.self)
    all(Date.self)
    all(Data.self)
    all(URL.self)
    all(UUID.self)
  }

  @Test func composedTypes() {
    all([Int].self)
    all([Double].self)
    all([String].self)
    all([String: Int].self)
    all(Int?.self)
    all(Color.self)
    all(Shape.self)
    all(Tree.self)
    all(Everything.Inner.self)
    all(Everything.self)
    all(Animal.self)
    all(Dog.self)
    all([Int: String].self)
    all(Set<Int>.self)
    all(ClosedRange<Int>.self)
  }

  @Test func superclasses() {
    compare(Dog.self, #"{"age":3,"super":{"name":"Rex"}}"#)
    compare(Dog.self, #"{"age":3,"super":{}}"#)
    compare(Dog.self, #"{"age":3,"super":null}"#)
    compare(Dog.self, #"{"age":3}"#)
    compare([Dog].self, #"[{"age":3,"super":[]}]"#)
  }

  @Test func absentKeysAndDuplicates() {
    compare(Box<Int>.self, "{}")
    compare(Maybe<Int>.self, "{}")
    compare([Box<Int>].self, "[{},{}]")
    compare(Box<Int>.self, #"{"a":1,"a":2}"#)
    compare(Box<Int>.self, #"{"b":0,"a":1,"b":3,"a":"x"}"#)
    compare([String: Int].self, #"{"a":1,"a":2,"b":3}"#)
    compare(Tree.self, #"{"a":1,"a":2,"b":{"a":null,"a":1}}"#)
    compare(Box<Int>.self, #"{"\u0061":1}"#)
    let many = (0..<500).map { "\"k\($0 % 300)\":\($0)" }.joined(separator: ",")
    compare([String: Int].self, "{\(many)}")
    compare(Tree.self, "{\(many)}")
    compare(Box<Int>.self, "{\(many),\"a\":7}")
  }

  @Test func dates() {
    let strategies: [(StrictJSONDecoder.DateDecodingStrategy, [String])] = [
      (.deferredToDate, ["0", "1.5", "\"x\"", "null"]),
      (.secondsSince1970, ["0", "1517966773.84", "\"x\"", "null", "[]"]),
      (.millisecondsSince1970, ["1517966773840", "null", "true"]),
      (
        .iso8601,
        [
          "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123Z", "2020-01-01", "2020-01-01T00:00:00+01:00",
          "2020-01-01T00:00:00", "x", "2020-01-01T00:00:00+0100", "2020-01-01T24:00:00Z", "2020-02-30T00:00:00Z",
          "2020-01-01T00:00:60Z", "2016-12-31T23:59:60Z", "2020-01-01t00:00:00z", "2020-01-01 00:00:00Z",
          "20200101T000000Z", " 2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z ", "2020-01-01T00:00:00+01",
          "0001-01-01T00:00:00Z", "2020-1-1T0:0:0Z", "2020-01-01T00:00:00-00:00", "1500-01-01T00:00:00Z",
          "1582-10-15T00:00:00Z", "1582-10-14T23:59:59Z", "1900-02-29T00:00:00Z", "2000-02-29T23:59:59Z",
          "9999-12-31T23:59:59Z", "2020-13-01T00:00:00Z", "2020-00-01T00:00:00Z", "2020-01-00T00:00:00Z",
          "2020-01-01T00:60:00Z", "2020-01-01T00:00:61Z", "1969-12-31T23:59:59Z", "",
        ].map { "\"\($0)\"" } + ["1", "null"]
      ),
      (
        .custom { decoder in
          let text = try decoder.singleValueContainer().decode(String.self)
          guard let day = Int(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no day"))
          }
          return Date(timeIntervalSince1970: Double(day) * 86_400)
        }, ["\"3\"", "\"x\"", "3", "null"]
      ),
    ]
    for (strategy, values) in strategies {
      let ours = StrictJSONDecoder()
      ours.dateDecodingStrategy = strategy
      let theirs = JSONDecoder()
      theirs.dateDecodingStrategy = strategy
      for value in values {
        compare(Box<Date>.self, "{\"a\":\(value)}", ours: ours, theirs: theirs)
        compare([Maybe<Date>].self, "[{\"a\":\(value)}]", ours: ours, theirs: theirs)
        compare([Date].self, "[\(value)]", ours: ours, theirs: theirs)
      }
    }
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy-MM-dd"
    formatter.timeZone = TimeZone(identifier: "UTC")
    let ours = StrictJSONDecoder()
    ours.dateDecodingStrategy = .formatted(formatter)
    let theirs = JSONDecoder()
    theirs.dateDecodingStrategy = .formatted(formatter)
    compare(Box<Date>.self, "{\"a\":\"2020-02-03\"}", ours: ours, theirs: theirs)
    compare(Box<Date>.self, "{\"a\":\"x\"}", ours: ours, theirs: theirs)
  }

  @Test func everyDayOfFourCenturies() {
    let ours = StrictJSONDecoder()
    ours.dateDecodingStrategy = .iso8601
    for day in stride(from: -140_000, to: 200_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_723)
      let text = "[\"\(date.formatted(.iso8601))\"]"
      let read = try? ours.decode([Date].self, from: Data(text.utf8))
      if read != [date] { Issue.record("\(text): \(String(describing: read))") }
      let direct = try? JSONReader.read(text.bytes) { try $0.readArray { try $0.readDate(.iso8601) } }
      if direct != [date] { Issue.record("\(text), directly: \(String(describing: direct))") }
    }
  }

  @Test func dataAndFloats() {
    let ours = StrictJSONDecoder()
    let theirs = JSONDecoder()
    ours.dataDecodingStrategy = .deferredToData
    theirs.dataDecodingStrategy = .deferredToData
    for value in ["[1,2,255]", "[256]", "\"AQID\"", "null", "[]"] {
      compare(Box<Data>.self, "{\"a\":\(value)}", ours: ours, theirs: theirs)
    }
    ours.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
    theirs.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
    compare(Box<Data>.self, "{\"a\":\"x\"}", ours: ours, theirs: theirs)
    ours.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
    theirs.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
    for value in ["\"+\"", "\"-\"", "\"nan\"", "\"x\"", "1.5", "null", "1e999"] {
      compare(Box<Double>.self, "{\"a\":\(value)}", ours: ours, theirs: theirs)
      compare([Float].self, "[\(value)]", ours: ours, theirs: theirs)
      compare([Double].self, "[\(value)]", ours: ours, theirs: theirs)
    }
  }

  @Test func keys() {
    let documents = [
      #"{"some_key":1,"an_url_path":"x","_leading":2,"trailing_":3,"plain":4,"names":{"a_b":1,"some_key":2}}"#,
      #"{"someKey":1,"some_key":2}"#, #"{"some_key":2,"someKey":1}"#, #"{"some__key":1,"SOME_KEY":2,"_some_key_":3}"#,
      #"{"some_key":"x"}"#, #"{"__":1,"_":2,"":3}"#, #"{"names":{"a_b":"x"}}"#, #"{"an_u_r_l_path":"x"}"#,
      #"{"sOME_kEY":5}"#, #"{"some_key":null}"#, #"{"an_URL_path":"q","aN_uRL_pATH":"r"}"#,
    ]
    let strategies: [StrictJSONDecoder.KeyDecodingStrategy] = [
      .convertFromSnakeCase,
      .custom { path in AnyKey(stringValue: (path.last?.stringValue ?? "").replacing("_", with: "").lowercased()) },
      .custom { path in AnyKey(stringValue: path.map(\.stringValue).joined(separator: "/")) },
    ]
    for strategy in strategies {
      let ours = StrictJSONDecoder()
      let theirs = JSONDecoder()
      ours.keyDecodingStrategy = strategy
      theirs.keyDecodingStrategy = strategy
      for document in documents {
        compare(Camel.self, document, ours: ours, theirs: theirs)
        compare([Camel].self, "[\(document),{}]", ours: ours, theirs: theirs)
        compare(Tree.self, document, ours: ours, theirs: theirs)
        compare([String: Tree].self, document, ours: ours, theirs: theirs)
        compare(Box<Int>.self, document, ours: ours, theirs: theirs)
      }
    }
  }

  /// What JSONDecoder takes and RFC 8259 does not, or what would be lost: each of these is deliberate.
  @Test func differencesThatAreMeant() {
    struct Nothing: Decodable {}
    for text in [
      "[1,]", "{\"a\":1,}", "{\"a\":01}", "{\"a\":-}", "{\"a\":1.e}", "{\"a\":\"\\q\"}", "{\"a\":\"\u{1}\"}",
      "{\"a\":\"\\ud800\"}",
    ] {
      let data = Data(text.utf8)
      let isArray = text.hasPrefix("[")
      #expect(throws: Never.self, "\(text)") {
        if isArray {
          _ = try JSONDecoder().decode([Int].self, from: data)
        } else {
          _ = try JSONDecoder().decode(Nothing.self, from: data)
        }
      }
      #expect(throws: DecodingError.self, "\(text)") {
        if isArray {
          _ = try StrictJSONDecoder().decode([Int].self, from: data)
        } else {
          _ = try StrictJSONDecoder().decode(Nothing.self, from: data)
        }
      }
    }
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode(Int.self, from: Data("1.0000000000000001".utf8))
    }
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode(Decimal.self, from: Data("340282366920938463463374607431768211456".utf8))
    }
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode([Int].self, from: "[1]".data(using: .utf16LittleEndian) ?? Data())
    }
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode([String: Int].self, from: Data("{\"a\":1}/**/".utf8))
    }
  }
}
