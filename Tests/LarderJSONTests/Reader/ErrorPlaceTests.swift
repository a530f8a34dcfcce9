import Foundation
import LarderJSON
import Testing

@Suite struct ErrorPlaceTests {
  @Test(arguments: Feeding.allCases) func errorsSayWhere(_ feeding: Feeding) throws {
    let text = "{\n  \"a\" : [1, 2,\n    {\"deep\\u0021\": {\n\"x\":\n 01}}],\n \"b\": 3 }"
    let error = try #require(throws: JSONError.self) {
      try feeding.read(text.bytes) { try $0.skipValue() }
    }
    #expect(error.code == .invalidNumber)
    #expect(error.line == 5)
    #expect(error.column == 3)
    #expect(error.offset == text.bytes.lastIndex(of: UInt8(ascii: "0")).map { $0 + 1 })
    #expect(error.pathDescription == "a[2].deep!.x")
  }

  @Test(arguments: Feeding.allCases) func mismatchesSayWhere(_ feeding: Feeding) throws {
    let text = "[1,\n\n  \"two\", 3]"
    let error = try #require(throws: JSONError.self) {
      _ = try feeding.read(text.bytes) { try $0.readArray { try $0.readInt() } }
    }
    #expect(error.code == .typeMismatch)
    #expect((error.line, error.column, error.offset) == (3, 3, 7))
    #expect(error.path == [.index(1)])
    #expect(error.description.contains("line 3, column 3 at [1]: Expected a number but found a string."))
  }

  /// Values of which only the whole tells that they are not what was asked for.
  private static let unfit: [(String, @Sendable (inout JSONReader) throws -> Void)] = [
    ("128", { _ = try $0.readInteger(Int8.self) }),
    ("-1", { _ = try $0.readInteger(UInt16.self) }),
    ("9223372036854775808", { _ = try $0.readInt() }),
    ("340282366920938463463374607431768211456", { _ = try $0.readDecimal() }),
    ("\"yesterday\"", { _ = try $0.readDate(.iso8601) }),
    ("\"12345678-1234\"", { _ = try $0.readUUID() }),
    ("\"\"", { _ = try $0.readURL() }),
    ("\"?\\n\"", { _ = try $0.readData() }),
    ("\"blue\"", { _ = try $0.readCase(Alert.self) }),
    ("7", { _ = try Level(reading: &$0) }),
  ]

  @Test(arguments: Feeding.allCases) func errorsOfWholeValuesSayWhereTheyBegin(_ feeding: Feeding) throws {
    for (value, read) in ErrorPlaceTests.unfit {
      for seed in 1...5 as ClosedRange<UInt64> {
        let error = try #require(throws: JSONError.self) {
          try feeding.read("[1,\n   \(value) ,2]".bytes, seed: seed) { reader in
            var count = 0
            try reader.beginArray()
            while try reader.nextElement() {
              if count == 1 { try read(&reader) } else { try reader.skipValue() }
              count += 1
            }
          }
        }
        #expect(error.code == .numberNotRepresentable || error.code == .invalidValue, "\(value)")
        #expect((error.line, error.column, error.offset) == (2, 4, 7), "\(value)")
        #expect(error.path == [.index(1)], "\(value)")
      }
    }
  }

  @Test func sentencesSayWhatToDo() {
    for code in JSONError.Code.allCases {
      let message = JSONError(code: code).message
      #expect(message.hasSuffix(".") && message.count > 20, "\(code)")
    }
  }

  @Test func errorsHaveNoValuesInThem() throws {
    let error = try #require(throws: JSONError.self) {
      _ = try JSONReader.read(#"{"pin":"secret-4711"}"#.bytes) { try $0.readDictionary { try $0.readInt() } }
    }
    #expect(!"\(error)".contains("4711"))
  }

  @Test func misuseIsAnError() {
    #expect(code { try JSONReader.read("[1]".bytes) { _ = try $0.nextKey() } } == .misuse)
    #expect(code { try JSONReader.read("[1]".bytes) { _ = try $0.nextElement() } } == .misuse)
    #expect(code { try JSONReader.read("[1]".bytes) { try $0.beginArray() } } == .misuse)
    #expect(code { try JSONReader.read("1".bytes) { try $0.feed([1]) } } == .misuse)
  }
}
