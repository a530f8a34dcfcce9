import LarderJSON
import Testing

/// Space that a server sends without end, a little at a time, costs no memory, and is looked at once.
@Suite struct SpaceTests {
  private static let space = " \t\r\n  \n "

  /// Wherever space may stand: what comes before it, and what is left of the document.
  private static let places = [
    ("", "1"), ("[", "1]"), ("[1", "]"), ("[1,", "2]"), ("[[1],", "[2]]"), ("{", "\"a\":1}"), ("{\"a\"", ":1}"),
    ("{\"a\":", "1}"), ("{\"a\":1", "}"), ("{\"a\":1,", "\"b\":2}"), ("{\"a\":1,\"b\\n\"", ":2}"),
    ("{\"a\":[1,{\"b\"", ":[]}]}"),
  ]

  @Test func spaceIsNotKept() throws {
    for (before, after) in SpaceTests.places {
      var reader = JSONReader(windowBytes: 16)
      try reader.feed(before.bytes)
      var most = 0
      for _ in 0..<500 {
        try reader.feed(SpaceTests.space.bytes)
        #expect(code { try reader.skipValue() } == .needsInput)
        most = max(most, reader.unreadBytes)
      }
      // What is not there any more cannot be looked at again either.
      #expect(most == 0, "behind \(before)")
      try reader.feed(after.bytes)
      reader.finish()
      try reader.skipValue()
      try reader.finishDocument()
    }
  }

  @Test func spaceAroundElementsIsNotKept() throws {
    let places = [
      ("[1,", "2]"), ("{\"x\"", ":0,\"a\":[1,2]}"), ("{\"x\":0,", "\"a\":[1,2]}"), ("{\"a\":[1,", "2]}"),
      ("{\"a\":[1,2],", "\"y\":0}"), ("{\"a\":[1,2],\"y\"", ":0}"),
    ]
    for (before, after) in places {
      let path = JSONElementPath(before.hasPrefix("[") ? "[*]" : "a[*]")
      let reader = JSONElementReader(at: path, windowBytes: 16)
      var elements: [Int] = []
      var most = 0
      func take() throws {
        while case .element(let element) = try reader.next({ try $0.readInt() }) { elements.append(element) }
      }
      try reader.feed(before.bytes)
      for _ in 0..<500 {
        try reader.feed(SpaceTests.space.bytes)
        try take()
        most = max(most, reader.unreadBytes)
      }
      #expect(most == 0, "behind \(before)")
      try reader.feed(after.bytes)
      reader.finish()
      try take()
      #expect(elements == [1, 2], "behind \(before)")
    }
  }

  private static let wrong = [
    "[1 ,\n ]", "[1,\n\n", "[1, 2,\n ,3]", "[1,\n\n }", "{\"a\" : 1 ,\n }", "{\"a\":1,\n x", "{\"a\":1,\n 2",
    "{\"a\":1, ,",
    "{\"a\":1, \"b\"\n\n 2}", "{\"a\":1, \"b\" \n", "{\"a\"\n ,", "{\"a\" \n", "{\"a\" \"b\"",
    "{ \n \"a\":[1],\n \"b\" \n\n ]",
    "{\"a\":{\"b\"\n :1,\n\"c\"  :\n 01}}", "{\"a\":{\"b\":0,\n",
  ]

  /// Code, place, path and words.
  @Test func errorsBehindSpaceAreThoseOfTheWhole() throws {
    for text in SpaceTests.wrong {
      let whole = try #require(throws: JSONError.self) {
        try Feeding.whole.read(text.bytes) { try $0.skipValue() }
      }
      for step in 1...5 {
        let parts = try #require(throws: JSONError.self) {
          try trickled(text.bytes, step: step) { try $0.skipValue() }
        }
        #expect(parts == whole, "\(text), \(step) at a time")
      }
    }
  }

  private static let spaced: String = {
    let space = String(repeating: " \n", count: 40)
    return "{\"a\"\(space):1\(space),\(space)\"\\u0062cdefgh\\n\"\(space):\(space)2,\"a longer key é\"\(space):"
  }()

  /// A key that waits for its colon is still itself when the window has moved past it.
  @Test(arguments: [1, 2, 3, 5, 8, 13, 1_000]) func keysWaitForTheirColons(_ step: Int) throws {
    var trickle = Trickle((SpaceTests.spaced + "{\"\" :x}}").bytes, step: step)
    var keys: [String?] = []
    try trickle.call { try $0.beginObject() }
    keys.append(try trickle.call { try $0.nextKey()?.string })
    let one = try trickle.call { try $0.readInt() }
    keys.append(try trickle.call { try $0.nextKey()?.string })
    let two = try trickle.call { try $0.readInt() }
    keys.append(try trickle.call { try $0.nextKey()?.string })
    try trickle.call { try $0.beginObject() }
    keys.append(try trickle.call { try $0.nextKey()?.string })
    #expect(keys == ["a", "bcdefgh\n", "a longer key é", ""])
    #expect(one == 1 && two == 2)
    do {
      _ = try trickle.call { try $0.readInt() }
      Issue.record("x is no number")
    } catch let error as JSONError {
      #expect(error.code == .invalidLiteral)
      #expect(error.path == [.key("a longer key é"), .key("")])
    }
  }

  @Test(arguments: Feeding.allCases) func decodersSeeKeysThatWaited(_ feeding: Feeding) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let decoded = try feeding.read((SpaceTests.spaced + "3}").bytes, seed: seed) {
        try StrictJSONDecoder().decode([String: Int].self, from: &$0)
      }
      #expect(decoded == ["a": 1, "bcdefgh\n": 2, "a longer key é": 3])
    }
  }
}
