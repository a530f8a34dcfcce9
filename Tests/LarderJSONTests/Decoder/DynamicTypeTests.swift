import Foundation
import LarderJSON
import Testing

/// A value is made of the type that is given, which may be a subclass of the one that the compiler knows.
@Suite struct DynamicTypeTests {
  class Person: Decodable, JSONReadable {
    let name: String
    private enum Keys: CodingKey { case name }

    required init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .name)
    }

    required init(reading reader: inout JSONReader) throws {
      let values = try reader.readDictionary { try $0.readString() }
      name = values["name"] ?? ""
    }

    var text: String { "Person(\(name))" }
  }

  final class Manager: Person {
    private(set) var team = "none"
    private enum Keys: CodingKey { case team }

    required init(from decoder: any Decoder) throws {
      team = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .team)
      try super.init(from: decoder)
    }

    required init(reading reader: inout JSONReader) throws { try super.init(reading: &reader) }

    override var text: String { "Manager(\(name), \(team))" }
  }

  static let manager: Person.Type = Manager.self
  static let json = #"{"name":"Ann","team":"b"}"#
  static let text = "Manager(Ann, b)"

  /// What a container was asked for, each way in which it can be asked.
  struct Row: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      var elements = try decoder.unkeyedContainer()
      var texts = [try elements.decode(DynamicTypeTests.manager).text]
      let keyed = try elements.nestedContainer(keyedBy: AnyKey.self)
      let key = AnyKey(stringValue: "a")
      texts.append(try keyed.decode(DynamicTypeTests.manager, forKey: key).text)
      texts.append(try keyed.superDecoder(forKey: key).singleValueContainer().decode(DynamicTypeTests.manager).text)
      var nested = try elements.nestedUnkeyedContainer()
      texts.append(try nested.decode(DynamicTypeTests.manager).text)
      texts.append(try elements.superDecoder().singleValueContainer().decode(DynamicTypeTests.manager).text)
      self.texts = texts
    }
  }

  @Test func containersMakeWhatJSONDecoderMakes() throws {
    let json = DynamicTypeTests.json
    let text = "[\(json),{\"a\":\(json)},[\(json)],\(json)]"
    let expected = try JSONDecoder().decode(Row.self, from: Data(text.utf8)).texts
    let row = try StrictJSONDecoder().decode(Row.self, from: Data(text.utf8)).texts
    #expect(row == expected)
    // A keyed container of the standard library's asks for the type that the compiler knows.
    #expect(row.filter { $0 == DynamicTypeTests.text }.count >= 4)
  }

  struct Optionals: Decodable {
    let texts: [String?]
    init(from decoder: any Decoder) throws {
      var elements = try decoder.unkeyedContainer()
      var texts: [String?] = []
      for _ in 0..<3 { texts.append(try elements.decodeIfPresent(DynamicTypeTests.manager)?.text) }
      self.texts = texts
    }
  }

  @Test func optionalElementsAreOfTheTypeThatIsGiven() throws {
    let decoded = try StrictJSONDecoder().decode(Optionals.self, from: "[null,\(DynamicTypeTests.json)]".bytes)
    #expect(decoded.texts == [nil, DynamicTypeTests.text, nil])
  }

  @Test func documentsAreOfTheTypeThatIsGiven() throws {
    let (type, json, decoder) = (DynamicTypeTests.manager, DynamicTypeTests.json, StrictJSONDecoder())
    #expect(try decoder.decode(type, from: Data(json.utf8)).text == DynamicTypeTests.text)
    #expect(try decoder.decode(type, from: json.bytes).text == DynamicTypeTests.text)
    #expect(try JSONReader.read(json.bytes) { try decoder.decode(type, from: &$0).text } == DynamicTypeTests.text)
    let read = decoder.makeElementDecoder(type)
    #expect(try JSONReader.read(json.bytes) { try read(&$0).text } == DynamicTypeTests.text)
  }

  @Test func elementsAreOfTheTypeThatIsGiven() async throws {
    let chunks = AsyncStream<[UInt8]> { continuation in
      continuation.yield("[\(DynamicTypeTests.json)]".bytes)
      continuation.finish()
    }
    for try await element in JSONElementSequence(decoding: DynamicTypeTests.manager, at: .topLevel, in: chunks) {
      #expect(element.text == DynamicTypeTests.text)
    }
    let others = AsyncStream<[UInt8]> { continuation in
      continuation.yield("[\(DynamicTypeTests.json)]".bytes)
      continuation.finish()
    }
    for try await element in JSONElementSequence(of: DynamicTypeTests.manager, at: .topLevel, in: others) {
      #expect(element is Manager)
    }
  }

  @Test func readersMakeTheTypeThatIsGiven() throws {
    let (type, json) = (DynamicTypeTests.manager, DynamicTypeTests.json)
    #expect(try type.init(json: json.bytes) is Manager)
    #expect(try type.init(json: Data(json.utf8)) is Manager)
    #expect(code { _ = try type.init(json: (json + "x").bytes) } == .trailingContent)
    #expect(try JSONReader.read(json.bytes) { try $0.read(type) } is Manager)
    #expect(try JSONReader.read(json.bytes) { try $0.readIfPresent(type) } is Manager)
  }
}
