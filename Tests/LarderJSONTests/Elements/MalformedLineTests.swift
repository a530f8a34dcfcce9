import Foundation
import LarderJSON
import Synchronization
import TestSeeds
import Testing

/// Lines that are no JSON can be left out; nothing else is lost.
@Suite struct MalformedLineTests {
  /// What becomes of a stream in chunks of so many bytes: identifiers that were read, lines whose errors were thrown, lines
  /// that were noted, and the error that ended it.
  private func take(_ bytes: [UInt8], step: Int, atMost limit: Int = 100, limits: JSONLimits = JSONLimits()) -> (
    read: [Int], thrown: [Int], noted: [Int], end: JSONError?
  ) {
    let noted = Mutex<[Int]>([])
    let reader = JSONElementReader(
      at: .lines, limits: limits, windowBytes: 16,
      malformedLines: .skip(atMost: limit) { problem in noted.withLock { $0.append(problem.line) } })
    var (read, thrown, place) = ([Int](), [Int](), 0)
    var last: JSONError?
    while true {
      do {
        switch try reader.next({ try Item(reading: &$0) }) {
        case .element(let item): read.append(item.id)
        case .needsInput:
          let end = min(place + step, bytes.count)
          if place == end { reader.finish() } else { try reader.feed(bytes[place..<end]) }
          place = end
        case .end: return (read, thrown, noted.withLock { $0 }, nil)
        }
        last = nil
      } catch let error as JSONError {
        // What ends a stream is thrown again.
        if error == last { return (read, thrown.dropLast(), noted.withLock { $0 }, error) }
        last = error
        thrown.append(error.line)
      } catch {
        Issue.record(error)
        return (read, thrown, [], nil)
      }
    }
  }

  private static let malformedText: [String] = [
    #"{"id":NaN}"#, #"{"id":1,"name":"\ud83d"}"#, #"{"id":1"#, #"{"id":"#, "[", "]", "{", "}", #"{"id":1}}"#, "nul",
    #"{"id":1} {"id":2}"#, #"{"id":1},"#, "01", "\"", #"{"id":1,"name":"cut"#, "<html>", "{\"id\":1,\"a\u{1}\":2}",
    "[[[[[[[[", "{\"id\":1,", "x", "\u{7F}", "1e", "-",
  ]

  private static let malformedBytes: [[UInt8]] = [
    Array(#"{"id":1,"name":""#.utf8) + [0xE9, 0x22, 0x7D], [0xFF], Array("{\"id\":1".utf8) + [0], [0xC3],
  ]

  static var malformed: [[UInt8]] { malformedText.map { Array($0.utf8) } + malformedBytes }

  @Test(arguments: [1, 3, 16, 100_000]) func eachMalformedLineIsLeftOutAlone(_ step: Int) {
    for line in MalformedLineTests.malformed {
      for end in ["\n", "\r\n", "\n\n"] {
        let text = "{\"id\":1}\(end)".bytes + line + "\(end){\"id\":2}\(end){\"id\":3}".bytes
        let number = end == "\n\n" ? 3 : 2
        let result = take(text, step: step)
        let name = Comment(rawValue: String(decoding: line, as: UTF8.self).debugDescription)
        #expect(result.read == [1, 2, 3], name)
        #expect(result.thrown == [number] && result.noted == [number] && result.end == nil, name)
      }
      // At the beginning, and at the end of all.
      let edges = take(line + "\n{\"id\":1}\n".bytes + line, step: step)
      #expect(edges.read == [1] && edges.thrown == [1, 3] && edges.end == nil)
    }
  }

  @Test func linesAndChunksAtRandom() throws {
    let seed = Share.seed
    for round in 0..<Share.rounds(of: 20_000, orElse: 500) {
      var random = SeededGenerator(seed: seed, round)
      var (text, read, bad) = ([UInt8](), [Int](), [Int]())
      let count = Int.random(in: 1...30, using: &random)
      for line in 1...count {
        switch Int.random(in: 0...5, using: &random) {
        case 0:
          text += MalformedLineTests.malformed.randomElement(using: &random) ?? []
          bad.append(line)
        case 1: text += String(repeating: " ", count: Int.random(in: 0...3, using: &random)).bytes
        case 2:
          // JSON, and not what is asked for.
          text += "[{\"id\":\"two\"}]".bytes
          bad.append(line)
        default:
          text += " {\"name\":\"näme\", \"id\": \(line)}\t".bytes
          read.append(line)
        }
        if line < count || Bool.random(using: &random) {
          text += Bool.random(using: &random) ? "\n".bytes : "\r\n".bytes
        }
      }
      let result = take(text, step: Int.random(in: 1...40, using: &random))
      let comment: Comment = "LARDER_SEED=\(seed), round \(round): \(String(decoding: text, as: UTF8.self))"
      try #require(result.read == read && result.thrown == bad && result.noted == bad && result.end == nil, comment)
    }
  }

  @Test(arguments: [1, 1_000]) func tooManyEndTheStream(_ step: Int) {
    let lines = (1...6).map { $0.isMultiple(of: 2) ? "{\"id\":\($0)}" : "x" }
    let text = lines.joined(separator: "\n").bytes
    let result = take(text, step: step, atMost: 2)
    #expect(result.read == [2, 4] && result.noted == [1, 3])
    #expect(result.end?.line == 5 && result.end?.code == .invalidLiteral)
    #expect(result.end?.message.hasSuffix("At most 2 malformed lines are left out, and this is one more.") == true)
    let none = take(text, step: step, atMost: 0)
    #expect(none.read == [] && none.noted == [] && none.end?.line == 1)
  }

  @Test(arguments: [1, 7, 1_000]) func aLineThatIsTooLongIsNotKept(_ step: Int) throws {
    var limits = JSONLimits()
    limits.maximumElementBytes = 40
    let long = "{\"id\":2,\"name\":\"" + String(repeating: "x", count: 5_000) + "\"}"
    let result = take("{\"id\":1}\n\(long)\n{\"id\":3}\n".bytes, step: step, limits: limits)
    #expect(result.read == [1, 3] && result.thrown == [2] && result.end == nil)
    let reader = JSONElementReader(at: .lines, limits: limits, windowBytes: 16, malformedLines: .skip())
    var most = 0
    for byte in long.bytes {
      try reader.feed(CollectionOfOne(byte))
      _ = try? reader.next { try $0.skipValue() }
      most = max(most, reader.unreadBytes)
    }
    #expect(most <= 41)
  }

  /// By itself, a value may go on in the next line; where lines may be left out it may not.
  @Test func valuesOverSeveralLines() {
    let text = "{\"id\":1,\n\"name\":\"a\"}\n{\"id\":2}\n"
    let result = take(text.bytes, step: 5)
    #expect(result.read == [2] && result.thrown == [1, 2])
  }

  private func stream(_ text: String) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      for start in stride(from: 0, to: text.utf8.count, by: 9) {
        continuation.yield(Array(text.utf8.dropFirst(start).prefix(9)))
      }
      continuation.finish()
    }
  }

  private static let feed = "{\"id\":1}\nnope\n{\"id\":\"two\"}\n{\"id\":4}\n"

  @Test func sequencesGoPastThem() async throws {
    for isDirect in [true, false] {
      let noted = Mutex<[Int]>([])
      let policy = JSONMalformedLinePolicy.skip { problem in noted.withLock { $0.append(problem.line) } }
      let stream = stream(MalformedLineTests.feed)
      let items =
        isDirect
        ? JSONElementSequence(of: Item.self, at: .lines, in: stream, malformedLines: policy)
        : JSONElementSequence(decoding: Item.self, at: .lines, in: stream, malformedLines: policy)
      var read: [Int] = []
      for try await item in items { read.append(item.id) }
      #expect(read == [1, 4] && noted.withLock { $0 } == [2, 3])
    }
  }

  @Test func sequencesEndWithTheFirstUnlessToldOtherwise() async throws {
    var read: [Int] = []
    let error = await #expect(throws: JSONError.self) {
      for try await item in JSONElementSequence(of: Item.self, at: .lines, in: stream(MalformedLineTests.feed)) {
        read.append(item.id)
      }
    }
    #expect(read == [1] && error?.line == 2)
  }

  /// An array has no lines: what is wrong in it is wrong with all of it.
  @Test func otherPathsAreAsEver() throws {
    let reader = JSONElementReader(at: .topLevel, malformedLines: .skip())
    try reader.feed("[1,\nx,\n2]".bytes)
    reader.finish()
    var read: [Int] = []
    let failure = code {
      while case .element(let number) = try reader.next({ try $0.readInt() }) { read.append(number) }
    }
    #expect(read == [1] && failure == .invalidLiteral)
  }
}
