import Foundation
import LarderRecords
import Testing

enum Alert: String, Codable, JSONReadable { case green, yellow }
enum Level: Int, Codable, JSONReadable {
  case low = 1
  case high
}

@JSONReadable
struct Spot: Codable, Equatable {
  var name: String
  var coordinates: [Double]
}

@JSONReadable(dates: .secondsSinceReferenceDate)
struct Record: Codable, Equatable {
  var id: Int
  var small: Int8
  var large: UInt64
  var title: String
  var isOpen: Bool
  var ratio: Double
  var share: Float
  var price: Decimal
  var made: Date
  var changed: Date?
  var days: [Date]
  var link: URL
  var key: UUID
  var blob: Data
  var alert: Alert
  var level: Level?
  var place: Spot
  var places: [Spot]?
  var byName: [String: Spot]
  var matrix: [[Int?]]
  let aVeryLongNameOfSomeProperty: String
  var sixteenLetters16: Int?
  var seventeenLetters1: Int?
}

@JSONReadable(keys: .convertFromSnakeCase, dates: .millisecondsSince1970)
final class Account {
  let userID: String
  var createdAt: Date
  @JSONDate(.iso8601) var updatedAt: Date?
  var tags: [String] = ["none"]
  var limit = 10
  var `default`: Bool = false
  var isNew: Bool { tags.isEmpty }
  static let kind = "account"
}

@JSONReadable
struct Renamed {
  var id: Int
  var note: String?
  var local = "kept"
  private enum CodingKeys: String, CodingKey {
    case id = "identifier with \"quotes\" and ü"
    case note
  }
}

@JSONReadable
struct Page<Item> {
  var items: [Item]
  var next: String?
}

struct Outer {
  @JSONReadable fileprivate struct Inner { var x, y: Int }
}

@JSONReadable struct Empty {}

@Suite struct RecordTests {
  static let text = """
    {"unknown":[{"id":7},{"a":[1.5e3]}],"id":-3,"small":127,"large":18446744073709551615,"title":"\\u00e9\\n😀","isOpen":true,
    "ratio":0.1,"share":0.1,"price":1234567890.123456789,"made":86400.5,"changed":null,"days":[0,1],
    "link":"https://a.b/c","key":"12345678-1234-1234-1234-123456789ABC","blob":"AQID","alert":"yellow","level":2,
    "place":{"name":"A","coordinates":[1,-2.5,3e2]},"places":[{"coordinates":[],"name":"B","id":0}],
    "byName":{"x y":{"name":"C","coordinates":[0]}},"matrix":[[1,null],[]],"aVeryLongNameOfSomeProperty":"!",
    "sixteenLetters16":16,"seventeenLetters1":17,"id":99,"seventeenLettersX":0,"ids":[]}
    """

  @Test(arguments: Feeding.allCases) func recordsReadWhatCodableDoes(_ feeding: Feeding) throws {
    let expected = try JSONDecoder().decode(Record.self, from: Data(RecordTests.text.utf8))
    #expect(expected.id == -3)
    for seed in 1...20 as ClosedRange<UInt64> {
      #expect(try feeding.read(RecordTests.text.bytes, seed: seed) { try Record(reading: &$0) } == expected)
    }
    #expect(try Record(json: Data(RecordTests.text.utf8)) == expected)
    #expect(try Record(json: RecordTests.text.bytes) == expected)
    #expect(Spot(name: "A", coordinates: []).name == "A", "a struct keeps its own initializer")
  }

  @Test func keysInSnakeCaseAndDefaults() throws {
    let text = #"{"user_id":"u","created_at":1000,"updated_at":"2020-01-02T03:04:05.5+01:00","limit":3,"default":true}"#
    let account = try Account(json: text.bytes)
    #expect(account.userID == "u" && account.limit == 3 && account.default && account.tags == ["none"])
    #expect(account.createdAt == Date(timeIntervalSince1970: 1))
    #expect(account.updatedAt == Date(timeIntervalSince1970: 1_577_930_645.5))
    let other = try Account(json: #"{"user_id":"u","created_at":0,"tags":[],"updated_at":null}"#.bytes)
    #expect(other.isNew && other.updatedAt == nil && other.limit == 10)
    // A default is for a key that is absent.
    #expect(code { _ = try Account(json: #"{"user_id":"u","created_at":0,"limit":null}"#.bytes) } == .valueNotFound)
  }

  @Test func codingKeys() throws {
    let record = try Renamed(json: #"{"identifier with \"quotes\" and \u00fc":5,"local":"x","id":1}"#.bytes)
    #expect(record.id == 5 && record.note == nil && record.local == "kept")
  }

  @Test func genericsAndNestedTypes() throws {
    let page = try Page<Spot>(json: #"{"items":[{"name":"A","coordinates":[]}],"next":"n"}"#.bytes)
    #expect(page.items.map(\.name) == ["A"] && page.next == "n")
    let inner = try Outer.Inner(json: #"{"y":2,"x":1}"#.bytes)
    #expect(inner.x == 1 && inner.y == 2)
    _ = try Empty(json: #"{"a":1}"#.bytes)
  }

  @Test func errorsSayWhere() throws {
    let cases: [(String, JSONError.Code, String)] = [
      (#"{"name":"A"}"#, .keyNotFound, "coordinates"), (#"{"name":null,"coordinates":[]}"#, .valueNotFound, "name"),
      (#"{"name":"A","coordinates":[1,"x"]}"#, .typeMismatch, "coordinates[1]"), ("[]", .typeMismatch, ""),
      (#"{"name":"A","coordinates":[1e999]}"#, .numberNotRepresentable, "coordinates[0]"),
      (#"{"name":"A","x":{"y":[tru]},"coordinates":[]}"#, .invalidLiteral, "x.y[0]"),
    ]
    for (text, expected, path) in cases {
      let error = try #require(throws: JSONError.self) { try Spot(json: text.bytes) }
      #expect(error.code == expected && error.pathDescription == path, "\(text): \(error)")
    }
    #expect(code { _ = try JSONReader.read("\"blue\"".bytes) { try Alert(reading: &$0) } } == .invalidValue)
    #expect(code { _ = try JSONReader.read("\"x\"".bytes) { try UUID(reading: &$0) } } == .invalidValue)
    #expect(code { _ = try JSONReader.read("\"%\"".bytes) { try $0.readDate(.iso8601) } } == .invalidValue)
  }

  @Test func keysThatAreNearlyRight() throws {
    // Each differs in one byte, in each place.
    let keys = ["aVeryLongNameOfSomeProperty", "sixteenLetters16", "seventeenLetters1", "id", "made", "coordinates"]
    for key in keys {
      for place in key.bytes.indices {
        var bytes = key.bytes
        bytes[place] ^= 1
        let text = "{\"\(String(decoding: bytes, as: UTF8.self))\":\"?\",\"name\":\"A\",\"coordinates\":[]}"
        _ = try Spot(json: text.bytes)
        #expect(code { _ = try Record(json: text.bytes) } == .keyNotFound)
      }
    }
  }
}
