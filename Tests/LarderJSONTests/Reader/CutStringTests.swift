import Testing

@testable import LarderJSON

/// Strings and keys that a server sends a few bytes at a time.
@Suite struct CutStringTests {
  /// Spoils all that has come of the string whose quote the reader stands at.
  private func spoil(_ reader: borrowing JSONReader) {
    let window = reader.window
    let first = reader.position + 1 - UnsafePointer(window.base)
    for index in first..<window.count { window.base[index] = 0 }
  }

  /// What comes before a string and behind it.
  private static let places = [
    ("", ""), ("[", "]"), ("[1,", "]"), ("{\"a\":", "}"), ("{", ":1}"), ("{\"a\":1 , ", ":1}"), ("[[{\"a\":[", "]}]]"),
  ]

  /// A byte that has been looked at is not looked at again: it is spoilt meanwhile, and nobody sees that.
  @Test func stringsArePassedOnce() throws {
    for (before, after) in CutStringTests.places {
      var reader = JSONReader(windowBytes: 16)
      try reader.feed((before + "\"").bytes)
      for _ in 0..<200 {
        try reader.feed("abcdefghijk".bytes)
        #expect(code { try reader.skipValue() } == .needsInput, "behind \(before)")
        spoil(reader)
      }
      try reader.feed(("\"" + after).bytes)
      reader.finish()
      try reader.skipValue()
      try reader.finishDocument()
    }
  }

  @Test func stringsAreReadOnce() throws {
    var reader = JSONReader(windowBytes: 16)
    try reader.feed("\"".bytes)
    for _ in 0..<200 {
      try reader.feed("abcdefghijk".bytes)
      #expect(code { _ = try reader.readString() } == .needsInput)
      spoil(reader)
    }
    try reader.feed("\"".bytes)
    let text = try reader.readString()
    #expect(text.utf8.count == 2_200)
  }

  @Test(arguments: 1...20) func stringsInPartsAreTheSame(_ step: Int) throws {
    let written =
      #"more than two words of it é😀\n\"\u00e9\ud83d\ude00\\ and behind the last escape more than two again"#
    let meant = "more than two words of it é😀\n\"é😀\\ and behind the last escape more than two again"
    let read = try trickled("\"\(written)\"".bytes, step: step) { try $0.readString() }
    #expect(read == meant)
    var trickle = Trickle("{\"a\":1 ,\n\"\(written)\" : 2}".bytes, step: step)
    try trickle.call { try $0.beginObject() }
    let first = try trickle.call { try $0.nextKey()?.string }
    try trickle.call { try $0.skipValue() }
    let second = try trickle.call { try $0.nextKey()?.string }
    #expect(first == "a" && second == meant)
    for feeding in Feeding.allCases {
      let decoded = try feeding.read("[\"\(written)\",\"\"]".bytes, seed: UInt64(step)) {
        try StrictJSONDecoder().decode([String].self, from: &$0)
      }
      #expect(decoded == [meant, ""])
    }
  }

  /// What is known of a string is not taken for knowledge of another, where it is passed by another call.
  @Test func stringsAreKeptApart() throws {
    var reader = JSONReader(windowBytes: 16)
    try reader.feed("[\"abcdefgh".bytes)
    try reader.beginArray()
    let hasFirst = try reader.nextElement()
    #expect(code { _ = try reader.readString() } == .needsInput)
    try reader.feed("ij\\n\",\"xyz".bytes)
    try reader.skipValue()
    let hasSecond = try reader.nextElement()
    #expect(code { _ = try reader.readString() } == .needsInput)
    try reader.feed("\\t!\",\"\u{1}\"]".bytes)
    let second = try reader.readString()
    #expect(hasFirst && hasSecond && second == "xyz\t!")
    let hasThird = try reader.nextElement()
    #expect(hasThird)
    #expect(code { _ = try reader.readString() } == .controlCharacter)
  }

  @Test(arguments: [1, 7, 50]) func theLimitHoldsForTheWhole(_ step: Int) throws {
    var limits = JSONLimits()
    limits.maximumStringBytes = 100
    func text(_ count: Int) -> [UInt8] { ("[\"" + String(repeating: "x", count: count) + "\"]").bytes }
    try trickled(text(100), step: step, limits: limits) { try $0.skipValue() }
    let whole = try #require(throws: JSONError.self) {
      try Feeding.whole.read(text(101), limits: limits) { try $0.skipValue() }
    }
    let parts = try #require(throws: JSONError.self) {
      try trickled(text(101), step: step, limits: limits) { try $0.skipValue() }
    }
    #expect(whole.code == .stringTooLong && parts == whole)
  }
}
