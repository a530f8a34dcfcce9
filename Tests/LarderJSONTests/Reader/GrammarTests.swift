import LarderJSON
import Testing

/// RFC 8259, production by production: what is JSON, what is not, and by which error.
@Suite struct GrammarTests {
  static let accepted: [String] = [
    "null", "true", "false", "0", "-0", "-1", "12", "1.5", "-0.0", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0.1e1",
    "123456789012345678901234567890", "1.7976931348623157e308", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#,
    #""\u00e9\uD83D\ude00""#, "\"\u{7F}é\u{2028}\u{10FFFF}😀\"", "[]", "[ ]", "[\t\r\n ]", "[1]", "[1,2]", "[ 1 , 2 ]",
    "[[],[[]]]", "{}", "{ }", #"{"":0}"#, #"{"a":1}"#, #"{ "a" : 1 , "b" : [ { } ] }"#, #"{"a":1,"a":2}"#,
    #"{"a\"b":1}"#, " \t\r\n1 \t\r\n", "\u{FEFF}[1]", #"["a","bcdefgh","ijklmnopqrstuvwxyz","\\"]"#,
    "[0.00000000000000000000000000000000001]", "[1,\n2]", #"{"a":{"b":{"c":[[[{}]]]}}}"#,
    String(repeating: "[", count: 512) + String(repeating: "]", count: 512),
  ]

  static let refused: [(String, JSONError.Code)] = [
    ("", .unexpectedEnd), (" ", .unexpectedEnd), ("[", .unexpectedEnd), ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd),
    ("{", .unexpectedEnd), (#"{"a"#, .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd),
    (#"{"a":1"#, .unexpectedEnd), (#"{"a":1,"#, .unexpectedEnd), (#"""#, .unexpectedEnd), (#""a"#, .unexpectedEnd),
    (#""\"#, .unexpectedEnd), (#""\u12"#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd),
    ("1.", .unexpectedEnd), ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd),
    ("[1,]", .unexpectedCharacter), ("[,1]", .unexpectedCharacter), ("[1 2]", .unexpectedCharacter),
    ("[1:2]", .unexpectedCharacter), ("{1:1}", .unexpectedCharacter), (#"{"a" 1}"#, .unexpectedCharacter),
    (#"{"a":1,}"#, .unexpectedCharacter), ("{,}", .unexpectedCharacter), (#"{"a":1 "b":2}"#, .unexpectedCharacter),
    (#"{"a":}"#, .unexpectedCharacter), ("[}", .unexpectedCharacter), ("{]", .unexpectedCharacter),
    (#"{"a":1]"#, .unexpectedCharacter), ("[1}", .unexpectedCharacter), ("['a']", .unexpectedCharacter),
    ("[/* */1]", .unexpectedCharacter), ("]", .unexpectedCharacter), ("[\u{C}1]", .unexpectedCharacter),
    ("[1,\u{A0}2]", .unexpectedCharacter), ("{a:1}", .unexpectedCharacter), ("[1,,2]", .unexpectedCharacter),
    ("[True]", .invalidLiteral), ("[nul]", .invalidLiteral), ("[NaN]", .invalidLiteral),
    ("[Infinity]", .invalidLiteral),
    ("[falsE]", .invalidLiteral), ("[truex]", .unexpectedCharacter),
    ("[01]", .invalidNumber), ("[-01]", .invalidNumber), ("[+1]", .invalidNumber), ("[.5]", .invalidNumber),
    ("[1.]", .invalidNumber), ("[1.e5]", .invalidNumber), ("[1e]", .invalidNumber), ("[1e+]", .invalidNumber),
    ("[-]", .invalidNumber), ("[-a]", .invalidNumber), ("[1.2.3]", .invalidNumber), ("[1e5.5]", .invalidNumber),
    ("[0x1]", .unexpectedCharacter), ("[1-2]", .invalidNumber), ("[00]", .invalidNumber),
    (#"["\a"]"#, .invalidEscape), (#"["\u12g4"]"#, .invalidEscape), (#"["\U0041"]"#, .invalidEscape),
    (#"["\'"]"#, .invalidEscape), (#"["\x41"]"#, .invalidEscape),
    (#"["\ud800"]"#, .loneSurrogate), (#"["\udc00"]"#, .loneSurrogate), (#"["\ud800\ud800"]"#, .loneSurrogate),
    (#"["\ud800x"]"#, .loneSurrogate), (#"["\ud800\n"]"#, .loneSurrogate), (#"{"\ud800":1}"#, .loneSurrogate),
    (#"["\ud800\u0041"]"#, .loneSurrogate),
    ("[\"\u{1}\"]", .controlCharacter), ("[\"a\nb\"]", .controlCharacter), ("[\"\t\"]", .controlCharacter),
    ("[\"\u{0}\"]", .controlCharacter), ("[\"abcdefghij\u{1F}\"]", .controlCharacter),
    ("1 2", .trailingContent), ("[] []", .trailingContent), ("{}x", .trailingContent), ("null,", .trailingContent),
    (String(repeating: "[", count: 513), .tooDeep), (String(repeating: #"{"a":"#, count: 600), .tooDeep),
  ]

  /// UTF-8 as RFC 3629 forbids it: overlong, surrogates, beyond the last, cut off, bytes that never are.
  static let invalidUTF8: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
    [0xE2, 0x82],
    [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
    [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  @Test(arguments: Feeding.allCases) func whatIsJSON(_ feeding: Feeding) throws {
    for text in GrammarTests.accepted {
      for seed in 1...4 as ClosedRange<UInt64> {
        #expect(throws: Never.self, "\(text)") {
          try feeding.read(text.bytes, seed: seed) { try $0.skipValue() }
          _ = try feeding.read(text.bytes, seed: seed) { try Tree(reading: &$0) }
        }
      }
    }
  }

  @Test(arguments: Feeding.allCases) func whatIsNot(_ feeding: Feeding) {
    for (text, expected) in GrammarTests.refused {
      for seed in 1...4 as ClosedRange<UInt64> {
        let skipped = code { try feeding.read(text.bytes, seed: seed) { try $0.skipValue() } }
        let read = code { _ = try feeding.read(text.bytes, seed: seed) { try Tree(reading: &$0) } }
        #expect(skipped == expected, "skipping \(text)")
        #expect(read == expected, "reading \(text)")
      }
    }
  }

  @Test(arguments: Feeding.allCases) func bytesThatAreNoUTF8(_ feeding: Feeding) {
    for bytes in GrammarTests.invalidUTF8 {
      for lead in ["", "é", "abcdefgh"] {
        for tail in ["\"]", "xyzabcdefgh\"]"] {
          let text = "[\"".bytes + lead.bytes + bytes + tail.bytes
          #expect(code { try feeding.read(text) { try $0.skipValue() } } == .invalidUTF8, "\(bytes)")
          #expect(code { _ = try feeding.read(text) { try Tree(reading: &$0) } } == .invalidUTF8, "\(bytes)")
          let key = "{\"".bytes + lead.bytes + bytes + "\":1}".bytes
          #expect(code { try feeding.read(key) { try $0.skipValue() } } == .invalidUTF8, "\(bytes)")
        }
      }
    }
  }

  @Test func otherEncodingsAreRefused() {
    let text = Array("[1]".utf16)
    let little = text.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(code { try Feeding.whole.read(little) { try $0.skipValue() } } != nil)
    #expect(code { try Feeding.whole.read([0xFF, 0xFE] + little) { try $0.skipValue() } } == .invalidUTF8)
  }

  /// What begins like a byte order mark and is none, in whatever pieces it comes.
  @Test(arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0x31], [0xEF, 0xBB, 0x31]] as [[UInt8]])
  func partsOfAMarkAreNone(_ bytes: [UInt8]) throws {
    for feeding in [Feeding.pulled, .fed, .byteByByte] {
      let error = #expect(throws: JSONError.self) { try feeding.read(bytes) { try $0.skipValue() } }
      #expect(error?.code == .unexpectedCharacter && error?.offset == 0, "\(feeding)")
    }
  }

  /// A byte order mark that comes by itself, whatever follows it.
  @Test func markThatComesAlone() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for document in [Array("1".utf8), Array(" [2]".utf8), []] {
      for parts in [[mark, document], [[mark[0]], Array(mark[1...]), document]] {
        var rest = parts.filter { !$0.isEmpty }
        var reader = JSONReader { buffer in
          guard let part = rest.first else { return 0 }
          rest.removeFirst()
          buffer.copyBytes(from: part)
          return part.count
        }
        if document.isEmpty {
          #expect(code { try reader.skipValue() } == .unexpectedEnd)
        } else {
          try reader.skipValue()
          try reader.finishDocument()
          var fed = JSONReader()
          for part in parts {
            #expect(code { try fed.skipValue() } == .needsInput)
            try fed.feed(part)
          }
          fed.finish()
          try fed.skipValue()
          try fed.finishDocument()
        }
      }
    }
  }
}
