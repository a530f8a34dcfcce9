import Foundation
import LarderJSON
import Testing

@Suite struct DecoderTests {
  @Test func errorsSayLineAndColumn() throws {
    let text = "{\n  \"a\": [\n    1,\n    \"x\"\n  ]\n}"
    let error = try #require(throws: DecodingError.self) {
      try StrictJSONDecoder().decode(Box<[Int]>.self, from: Data(text.utf8))
    }
    guard case .typeMismatch(let type, let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect(type is Int.Type)
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(context.debugDescription == "Expected to decode Int but found a string instead. (line 4, column 6)")
    let underlying = try #require(context.underlyingError as? JSONError)
    #expect(underlying.code == .typeMismatch && underlying.line == 4)
    #expect(underlying.path == [.key("a"), .index(1)])
  }

  @Test func textThatIsNoJSONSaysLineAndColumn() throws {
    let error = try #require(throws: DecodingError.self) {
      try StrictJSONDecoder().decode([Int].self, from: Data("[1,\n 2,\n 03]".utf8))
    }
    guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect(context.codingPath.isEmpty)
    #expect(context.debugDescription.hasPrefix("The given data was not valid JSON."))
    #expect((context.underlyingError as? JSONError)?.line == 3)
    #expect((context.underlyingError as? JSONError)?.code == .invalidNumber)
  }

  @Test func limitsReachTheCaller() throws {
    let decoder = StrictJSONDecoder()
    decoder.limits.maximumDepth = 2
    let error = try #require(throws: DecodingError.self) {
      try decoder.decode([[[Int]]].self, from: Data("[[[1]]]".utf8))
    }
    guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect((context.underlyingError as? JSONError)?.code == .tooDeep)
  }

  /// A decoder that a type keeps can be used when the document is gone.
  @Test func containersMayOutliveTheDocument() throws {
    final class Keeper: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    let read = StrictJSONDecoder().makeElementDecoder(Keeper.self)
    let reader = JSONElementReader(at: .lines)
    var keepers: [Keeper] = []
    for number in 0..<50 {
      try reader.feed("{\"a\":\"value \(number)\",\"b\":[\(number)]}\n".utf8)
      while case .element(let keeper) = try reader.next(read) { keepers.append(keeper) }
    }
    #expect(keepers.count == 50)
    for (number, keeper) in keepers.enumerated() {
      let container = try keeper.decoder.container(keyedBy: AnyKey.self)
      #expect(try container.decode(String.self, forKey: AnyKey(stringValue: "a")) == "value \(number)")
      #expect(try container.decode([Int].self, forKey: AnyKey(stringValue: "b")) == [number])
    }
  }

  @Test func userInfoIsHandedOver() throws {
    struct Informed: Decodable {
      let text: String?
      init(from decoder: any Decoder) throws {
        text = CodingUserInfoKey(rawValue: "k").flatMap { decoder.userInfo[$0] as? String }
      }
    }
    let decoder = StrictJSONDecoder()
    decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "k"))] = "v"
    #expect(try decoder.decode(Informed.self, from: Data("1".utf8)).text == "v")
  }

  @Test func aReaderIsLeftBehindTheValue() throws {
    let sums = try JSONReader.read(#"[{"a":[1,2]},{"a":[3]},{"a":[]}]"#.bytes) { reader in
      try reader.readArray { try StrictJSONDecoder().decode(Box<[Int]>.self, from: &$0).a.reduce(0, +) }
    }
    #expect(sums == [3, 3, 0])
  }
}
