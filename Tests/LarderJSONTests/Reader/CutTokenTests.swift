import Testing

@testable import LarderJSON

/// Whatever comes in small chunks, bytes are moved and looked at a few times, not once more with each chunk.
@Suite struct CutTokenTests {
  static let long = 60_000

  struct Sample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let before: String
    let part: String
    let after: String

    init(_ name: String, _ before: String, _ part: String, _ after: String) {
      (testDescription, self.before, self.part, self.after) = (name, before, part, after)
    }

    func text(_ length: Int) -> [UInt8] {
      (before + String(repeating: part, count: length / part.utf8.count) + after).bytes
    }
  }

  static let samples = [
    Sample("string", "[{\"a\":\"", "x", "\"}]"), Sample("string of escapes", "[{\"a\":\"", "\\n\\u00e9é", "\"}]"),
    Sample("key", "[{\"a\":0,\"", "k", "\":1}]"), Sample("key of escapes", "[{\"", "\\t", "\" : 1}]"),
    Sample("number", "[{\"a\":1", "0", "}]"), Sample("fraction", "[{\"a\":-1.", "12", "e5}]"),
    Sample("space", "[{\"a\"", " \n", ":1}]"), Sample("space behind a comma", "[{\"a\":1,", "\t ", "\"b\":2}]"),
    Sample("space between elements", "[1,", " \r\n", "2]"), Sample("many values", "[{\"a\":[0", ",true", "]}]"),
    Sample("many members", "[{\"a\":0", ",\"key\":\"value\"", "}]"),
    Sample("many elements", "[0", ",{\"key\":[1,2,3]}", "]"),
    Sample("containers", "[{\"a\":[0", ",[[{\"b\":[{}]}]]", "]}]"),
    Sample("values behind a long key", "[{\"" + String(repeating: "k", count: 5_000) + "\":[0", ",1", "]}]"),
    Sample(
      "depth", "[{\"a\":" + String(repeating: "[", count: 400) + "0", ",1", String(repeating: "]", count: 400) + "}]"),
  ]

  private static let limits: JSONLimits = {
    var limits = JSONLimits()
    limits.maximumNumberBytes = .max
    return limits
  }()

  @Test(arguments: samples, [1, 7, 64, 4_096]) func elementsInChunks(_ sample: Sample, _ step: Int) throws {
    let text = sample.text(CutTokenTests.long)
    let reader = JSONElementReader(at: .topLevel, limits: CutTokenTests.limits, windowBytes: 64)
    var place = 0
    var count = 0
    reading: while true {
      switch try reader.next({ try $0.skipValue() }) {
      case .element: count += 1
      case .needsInput:
        let end = min(place + step, text.count)
        if place == end { reader.finish() } else { try reader.feed(text[place..<end]) }
        place = end
      case .end: break reading
      }
    }
    #expect(count > 0)
    #expect(reader.reader.window.rereadByteCount <= 4 * text.count, "of \(text.count) bytes")
  }

  @Test(arguments: samples, [1, 7, 64, 4_096]) func valuesInChunks(_ sample: Sample, _ step: Int) throws {
    let text = sample.text(CutTokenTests.long)
    var reader = JSONReader(limits: CutTokenTests.limits, windowBytes: 64)
    var place = 0
    while true {
      do {
        try reader.skipValue()
        break
      } catch let error as JSONError where error.code == .needsInput {
        let end = min(place + step, text.count)
        if place == end { reader.finish() } else { try reader.feed(Array(text[place..<end])) }
        place = end
      }
    }
    #expect(reader.window.rereadByteCount <= 4 * text.count, "of \(text.count) bytes")
  }

  @Test(arguments: samples) func readersThatAskForMore(_ sample: Sample) throws {
    let text = sample.text(CutTokenTests.long)
    var place = 0
    var reader = JSONReader(limits: CutTokenTests.limits, windowBytes: 64) { buffer in
      let end = min(place + min(7, buffer.count), text.count)
      buffer.copyBytes(from: text[place..<end])
      defer { place = end }
      return end - place
    }
    try reader.skipValue()
    try reader.finishDocument()
    #expect(reader.window.rereadByteCount <= 4 * text.count, "of \(text.count) bytes")
  }

  /// Whoever reads less than comes has it moved no more often.
  @Test(arguments: [1, 7, 64]) func chunksThatWait(_ step: Int) throws {
    let text = ("[" + Array(repeating: "1", count: 30_000).joined(separator: ",") + "]").bytes
    let reader = JSONElementReader(at: .topLevel, windowBytes: 64)
    var place = 0
    var count = 0
    while place < text.count {
      for _ in 0..<3 where place < text.count {
        let end = min(place + step * 2, text.count)
        try reader.feed(text[place..<end])
        place = end
      }
      for _ in 0..<step { if case .element = try reader.next({ try $0.readInt() }) { count += 1 } }
    }
    reader.finish()
    while case .element = try reader.next({ try $0.readInt() }) { count += 1 }
    #expect(count == 30_000)
    #expect(reader.reader.window.rereadByteCount <= 4 * text.count)
  }

  /// A number in parts is what it is as a whole, and what is wrong with it is said of the same place.
  @Test(arguments: [
    "12345678901234567890", "-1.5e+10", "1e5", "0", "01", "1..5", "1.5.5", "--1", "1e", "1e+-5", "-", "12a", "1.e5",
    "+1", "1-2",
  ])
  func numbersInParts(_ number: String) throws {
    for text in ["[\(number)]", "[\(number) ,1]", number, "{\"a\":\(number)}"] {
      func outcome(_ body: () throws -> Void) -> JSONError? {
        do { try body() } catch { return error as? JSONError }
        return nil
      }
      let whole = outcome { try JSONReader.read(text.bytes, limits: JSONLimits()) { try $0.skipValue() } }
      for step in 1...4 {
        let parts = outcome {
          var trickle = Trickle(text.bytes, step: step)
          try trickle.call { try $0.skipValue() }
          try trickle.call { try $0.finishDocument() }
        }
        #expect(parts == whole, "\(text), \(step) at a time")
      }
    }
  }
}
