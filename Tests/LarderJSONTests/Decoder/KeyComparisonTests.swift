import Foundation
import LarderRecords
import Testing

/// Both keys are the same string to Swift, and have different bytes.
private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

private struct Cafe: Decodable {
  var one: Int?
  var two: Int?
  var hasOne: Bool

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: AnyKey.self)
    one = try object.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: composed))
    two = try object.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: decomposed))
    hasOne = object.contains(AnyKey(stringValue: composed))
  }
}

@JSONReadable
struct ComposedCafe {
  var value: Int?
  enum CodingKeys: String, CodingKey { case value = "caf\u{E9}" }
}

/// Keys are compared by their bytes, in whichever way they are looked for.
@Suite struct KeyComparisonTests {
  private static let decoders: [(String, StrictJSONDecoder)] = {
    let usual = StrictJSONDecoder()
    let snake = StrictJSONDecoder()
    snake.keyDecodingStrategy = .convertFromSnakeCase
    let custom = StrictJSONDecoder()
    custom.keyDecodingStrategy = .custom { AnyKey(stringValue: $0.last?.stringValue ?? "") }
    return [("usual", usual), ("snake case", snake), ("custom", custom)]
  }()

  /// An object with so many keys more that it is searched, or gets an index.
  private func object(_ pairs: [(String, Int)], more: Int) -> [UInt8] {
    let all = pairs + (0..<more).map { ("k\($0)", $0) }
    return ("{" + all.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}").bytes
  }

  @Test(arguments: [0, 46, 47, 500]) func keysAreComparedByTheirBytes(_ more: Int) throws {
    for (name, decoder) in KeyComparisonTests.decoders {
      let both = try decoder.decode(Cafe.self, from: object([(decomposed, 2), (composed, 1)], more: more))
      #expect(both.one == 1 && both.two == 2 && both.hasOne, "\(name)")
      let second = try decoder.decode(Cafe.self, from: object([(decomposed, 2)], more: more))
      #expect(second.one == nil && second.two == 2 && !second.hasOne, "\(name)")
    }
  }

  /// A dictionary's keys are strings, which Swift compares.
  @Test(arguments: [0, 500]) func dictionariesHaveTheFirst(_ more: Int) throws {
    let bytes = object([(decomposed, 2), (composed, 1)], more: more)
    for (name, decoder) in KeyComparisonTests.decoders {
      let values = try decoder.decode([String: Int].self, from: bytes)
      #expect(values[composed] == 2 && values.count == more + 1, "\(name)")
    }
    let values = try JSONReader.read(bytes) { reader in try reader.readDictionary { try $0.readInt() } }
    #expect(values[composed] == 2 && values.count == more + 1)
  }

  @Test func recordsAndPathsCompareBytes() throws {
    let record = try ComposedCafe(json: object([(decomposed, 2), (composed, 1)], more: 0))
    #expect(record.value == 1)
    let other = try ComposedCafe(json: object([(decomposed, 2)], more: 0))
    #expect(other.value == nil)
    let reader = JSONElementReader(at: JSONElementPath(keys: [composed]))
    try reader.feed("{\"\(decomposed)\":[2],\"\(composed)\":[1]}".bytes)
    reader.finish()
    var elements: [Int] = []
    while case .element(let element) = try reader.next({ try $0.readInt() }) { elements.append(element) }
    #expect(elements == [1])
  }
}
