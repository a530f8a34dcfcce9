import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

/// Where a text is no JSON (RFC 8259).
@Suite struct JSONTextTests {
  @Test(arguments: [
    "1", "-0", "0.5e+10", "1E3", "true", "false", "null", #""""#, "[]", "{}", "[ ]", "{ }", " [1 , 2]\n",
    #"{"a":[{"b":null}],"c":""}"#,
    #""\u00e9\n\"\\\/""#, "\"é\u{1F600}\"", "\u{FEFF}[1]",
    String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000),
  ]) func whatIsJSON(_ text: String) { #expect(JSONValidator.errorPosition(in: Data(text.utf8)) == nil) }

  @Test(
    arguments: [
      ("", 1, 1), ("[1,2,]", 1, 6), ("{\"a\":1,}", 1, 8), ("[1 2]", 1, 4), ("[1,\n2,,3]", 2, 3), ("{a:1}", 1, 2),
      ("{'a':1}", 1, 2),
      ("[1", 1, 3), ("{\"a\"", 1, 5), ("01", 1, 2), ("1.", 1, 3), ("+1", 1, 1), ("1e", 1, 3), (".5", 1, 1),
      ("nul", 1, 4),
      ("[1]]", 1, 4), ("[1}", 1, 3), ("\"a", 1, 3), ("\"a\nb\"", 1, 3), (#""\x""#, 1, 3), (#""\u12g4""#, 1, 3),
      ("NaN", 1, 1),
      ("[1] // x", 1, 5), ("<html>", 1, 1), ("{\"a\":1}\n{\"a\":2}", 2, 1),
    ] as [(String, Int, Int)]) func whatIsNone(_ text: String, _ line: Int, _ column: Int)
  {
    #expect(JSONValidator.errorPosition(in: Data(text.utf8)) == TextPosition(line: line, column: column))
  }

  @Test func bytesThatAreNoText() {
    #expect(JSONValidator.errorPosition(in: Data([0x22, 0xE9, 0x22])) == TextPosition(line: 1, column: 2))
    // Of a part of other data, too.
    let part = Data("xx[1,]".utf8).dropFirst(2)
    #expect(JSONValidator.errorPosition(in: part) == TextPosition(line: 1, column: 4))
  }

  /// What is JSON, Foundation reads, whatever was changed in a document. It takes more than that: a comma at the end.
  @Test func randomTexts() throws {
    let seed = Share.seed
    var generator = SeededGenerator(seed: seed)
    let whole = Array(#"{"a":[1,-2.5e3,true,null],"b":{"c":"x\u00e9\n"},"d":[]}"#.utf8)
    for _ in 0..<3_000 {
      var bytes = whole
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        if Bool.random(using: &generator) {
          bytes.remove(at: place)
        } else {
          bytes[place] = Array(#"{}[],:"\0123456789.eE+-truefalsn "#.utf8).randomElement(using: &generator)!
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let isTaken = (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil
      let isJSON = JSONValidator.errorPosition(in: Data(bytes)) == nil
      if isJSON { #expect(isTaken, "\(text), LARDER_SEED=\(seed)") }
    }
  }
}

/// A value of any type.
private struct Anything: Decodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if var list = try? decoder.unkeyedContainer() {
      while !list.isAtEnd { _ = try list.decode(Anything.self) }
    } else if let object = try? decoder.container(keyedBy: Key.self) {
      for key in object.allKeys { _ = try object.decode(Anything.self, forKey: key) }
    } else {
      let value = try decoder.singleValueContainer()
      guard
        value.decodeNil() || (try? value.decode(Bool.self)) != nil || (try? value.decode(String.self)) != nil
          || (try? value.decode(Double.self)) != nil
      else { throw DecodingError.dataCorruptedError(in: value, debugDescription: "nothing") }
    }
  }
}
