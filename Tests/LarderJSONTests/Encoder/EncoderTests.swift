import Foundation
import LarderJSON
import TestSeeds
import Testing

@Suite struct EncoderTests {
  struct Payment: Codable, Equatable {
    var zone = "é/\"\\\u{1}\n\u{8}\u{c}\r\t😀\u{2028}"
    var amount = Decimal(string: "1234567890.0100") ?? 0
    var numbers = [1.0, 2.5, -0.0, 0.1, 1e21, 123_456_789_012, 1e-5]
    var floats: [Float] = [0.1, 16_777_216]
    var integers = [Int.min, Int.max]
    var unsigned = UInt64.max
    var nothing: Int?
    var yes = true
    var date = Date(timeIntervalSince1970: 1_517_966_773)
    var blob = Data([0, 1, 254, 255])
    var link = URL(string: "https://a.b/c?d=e")
    var id = UUID(uuidString: "12345678-1234-1234-1234-123456789ABC")
    var map = ["b": 1, "a": 2, "C": 3, "some_key": 4, "someKey": 5]
    var nested = [["x": [1, 2]], [:]]
    var aURLPath = 1
    var shape = Shape.square(side: 1, name: nil)
  }

  @Test func bytesAreThoseOfJSONEncoderWithKeysSorted() throws {
    for date in [JSONEncoder.DateEncodingStrategy.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601] {
      for key in [JSONEncoder.KeyEncodingStrategy.useDefaultKeys, .convertToSnakeCase] {
        for data in [JSONEncoder.DataEncodingStrategy.base64, .deferredToData] {
          let ours = StableJSONEncoder()
          let theirs = JSONEncoder()
          theirs.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
          ours.dateEncodingStrategy = date
          theirs.dateEncodingStrategy = date
          ours.keyEncodingStrategy = key
          theirs.keyEncodingStrategy = key
          ours.dataEncodingStrategy = data
          theirs.dataEncodingStrategy = data
          let bytes = String(decoding: try ours.encode(Payment()), as: UTF8.self)
          let expected = String(decoding: try theirs.encode(Payment()), as: UTF8.self)
          #expect(bytes.count > 300)
          #expect(bytes == expected)
        }
      }
    }
  }

  @Test func theBytesThemselves() throws {
    struct Plain: Encodable {
      var b = 1.0
      var a = ["z": "é/", "Z": "\u{1}\"", "": "x"]
      var c = [0.1, 1e21, 1e-7, -0.0, 100_000]
      var d: Float = 0.1
      var e = Decimal(string: "0.10")
      var f = Data([1, 2])
    }
    let text = String(decoding: try StableJSONEncoder().encodeBytes(Plain()), as: UTF8.self)
    #expect(
      text
        == #"{"a":{"":"x","Z":"\u0001\"","z":"é/"},"b":1,"c":[0.1,1e+21,1e-07,-0,100000],"d":0.1,"e":0.1,"f":"AQI="}"#)
  }

  @Test func theSameEachTime() throws {
    let first = try StableJSONEncoder().encodeBytes(Payment())
    var random = Share.generator
    for _ in 0..<50 {
      // Dictionaries that were filled in another order.
      var payment = Payment()
      payment.map = [:]
      for key in ["someKey", "a", "some_key", "C", "b"].shuffled(using: &random) {
        payment.map[key] = ["b": 1, "a": 2, "C": 3, "some_key": 4, "someKey": 5][key]
      }
      #expect(try StableJSONEncoder().encodeBytes(payment) == first, "LARDER_SEED=\(random.seed)")
    }
  }

  @Test func whatItWritesIsReadAgain() throws {
    let encoder = StableJSONEncoder()
    let decoder = StrictJSONDecoder()
    #expect(try decoder.decode(Payment.self, from: encoder.encode(Payment())) == Payment())
    encoder.isPretty = true
    #expect(try decoder.decode(Payment.self, from: encoder.encode(Payment())) == Payment())
    #expect(
      try String(decoding: encoder.encode(["b": [1, 2], "a": []]), as: UTF8.self) == """
        {
          "a" : [],
          "b" : [
            1,
            2
          ]
        }
        """)
  }

  @Test func whatJSONCannotSay() throws {
    let encoder = StableJSONEncoder()
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(throws: EncodingError.self) { try encoder.encode([value]) }
    }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
    #expect(
      try String(decoding: encoder.encode([Double.nan, .infinity, -.infinity]), as: UTF8.self) == #"["nan","+","-"]"#)
    #expect(try String(decoding: encoder.encode([Decimal.nan]), as: UTF8.self) == #"["nan"]"#)
    #expect(throws: EncodingError.self) { try StableJSONEncoder().encode([Decimal.nan]) }
    struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
    #expect(throws: EncodingError.self) { try encoder.encode(Silent()) }
    #expect(try String(decoding: encoder.encode([Silent()]), as: UTF8.self) == "[{}]")
  }
}
