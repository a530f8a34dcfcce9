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
    #expect([error.line, error.column, error.offset] == [3, 3, 7])
    #expect(error.path == [.index(1)])
    #expect(error.description.contains("line 3, column 3 at [1]: Expected a number but found a string."))
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
