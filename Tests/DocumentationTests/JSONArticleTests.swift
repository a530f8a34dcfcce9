import Foundation
import LarderRecords
import Testing

// snippet: json-record
@JSONReadable(dates: .millisecondsSince1970)
struct Reading {
  let id: String
  var value: Double?
  var time: Date
  var tags: [String] = []
}
// snippet end

/// The steps of LarderJSON.md, each run.
@Suite struct JSONArticleTests {
  private let data = Data(#"{"id":"a","value":1.5,"time":1000,"more":[{}]}"#.utf8)

  @Test func typesReadThemselves() throws {
    // snippet: json-read
    let reading = try Reading(json: data)
    // snippet end
    #expect(reading.id == "a" && reading.value == 1.5 && reading.tags == [])
    #expect(reading.time == Date(timeIntervalSince1970: 1))
  }

  @Test func elementsOfAStream() async throws {
    let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
    continuation.yield(Data(#"{"readings":[{"id":"a","time":0,"value":1},"#.utf8))
    continuation.yield(Data(#"{"id":"b","time":0,"value":2}],"count":2}"#.utf8))
    continuation.finish()
    var total = 0.0
    // snippet: json-elements
    for try await reading in JSONElementSequence(of: Reading.self, at: "readings[*]", in: chunks) {
      total += reading.value ?? 0
    }
    // snippet end
    #expect(total == 3)
  }

  @Test func elementsThatAreFed() throws {
    let chunk = Array("{\"id\":\"a\",\"time\":0}\n{\"id\":\"b\",\"time\":0}\n{\"id\"".utf8)
    var readings: [Reading] = []
    // snippet: json-feed
    let reader = JSONElementReader(at: .lines)
    try reader.feed(chunk)
    while case .element(let reading) = try reader.next({ try Reading(reading: &$0) }) {
      readings.append(reading)
    }
    // snippet end
    #expect(readings.map(\.id) == ["a", "b"])
  }

  @Test func codable() throws {
    struct Order: Codable, Equatable {
      var number: Int
      var placed: Date
    }
    let json = Data(#"{"placed":"2020-01-02T03:04:05Z","number":7}"#.utf8)
    // snippet: json-decode
    let decoder = StrictJSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let order = try decoder.decode(Order.self, from: json)
    // snippet end
    #expect(order.number == 7)
    // snippet: json-encode
    let encoder = StableJSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let body = try encoder.encode(order)
    // snippet end
    #expect(String(decoding: body, as: UTF8.self) == #"{"number":7,"placed":"2020-01-02T03:04:05Z"}"#)
  }

  @Test func valueByValue() throws {
    let bytes = Array(#"{"value":1,"other":{"value":5},"value":2}"#.utf8)
    // snippet: json-pull
    var sum = 0.0
    try JSONReader.read(bytes) { reader in
      try reader.beginObject()
      while let key = try reader.nextKey() {
        if key == "value" { sum += try reader.readDouble() } else { try reader.skipValue() }
      }
    }
    // snippet end
    #expect(sum == 3)
  }
}
