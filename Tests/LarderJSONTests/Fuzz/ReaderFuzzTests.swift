import Foundation
import LarderJSON
import TestSeeds
import Testing

/// Random documents, some spoilt, in random chunks: all readers say the same, and what JSONDecoder says; or it takes what
/// RFC 8259 refuses.
@Suite(.serialized) struct ReaderFuzzTests {
  /// The whole, which `LARDER_SIZE=100` runs, under the address sanitizer in `Scripts/long/json`.
  private static let whole = 10_000_000
  private static let few = 3_000

  @Test func documents() throws {
    let rounds = Share.rounds(of: ReaderFuzzTests.whole, orElse: ReaderFuzzTests.few, thinned: 4)
    let end = Share.end()
    var taken = 0
    var looser = 0
    var round = 0
    let theirs = JSONDecoder()
    let ours = StrictJSONDecoder()
    while round < rounds || .now < end {
      defer { round += 1 }
      var maker = DocumentMaker(random: SeededGenerator(seed: Share.seed, round))
      let bytes = maker.document()
      func problem(_ words: String) {
        Issue.record("round \(round), seed \(Share.seed): \(words): \(String(decoding: bytes, as: UTF8.self)) \(bytes)")
      }

      let whole = Result { try Feeding.whole.read(bytes) { try Tree(reading: &$0) } }
      let feeding: Feeding = [.pulled, .fed, .byteByByte][round % 3]
      let parts = Result { try feeding.read(bytes, seed: UInt64(round)) { try Tree(reading: &$0) } }
      switch (whole, parts) {
      case (.success(let one), .success(let other)): if one != other { problem("\(feeding) reads something else") }
      case (.failure(let one as JSONError), .failure(let other as JSONError)):
        // Values on lines of their own are one text for a stream of lines alone.
        if one.code != other.code || one.offset != other.offset || one.line != other.line, feeding != .fed {
          problem("\(feeding) fails otherwise: \(other), not \(one)")
        }
      default: problem("\(feeding) and the whole disagree: \(whole), \(parts)")
      }
      let passed = Result { try feeding.read(bytes, seed: UInt64(round) &+ 1) { try $0.skipValue() } }
      if case .failure(let error as JSONError) = passed {
        // What is read may be refused where what is passed is not: a number may be too large.
        if case .success = whole { problem("what is read is not passed: \(error)") }
      } else if case .failure(let error as JSONError) = whole, error.code != .numberNotRepresentable {
        problem("what is passed is not read: \(error)")
      }

      let decoded = Result { try ours.decode(Tree.self, from: bytes) }
      if let one = try? whole.get(), let other = try? decoded.get(), one != other {
        problem("the decoder reads something else")
      }
      if ((try? whole.get()) == nil) != ((try? decoded.get()) == nil) {
        problem("the decoder disagrees: \(decoded), \(whole)")
      }
      let foundation = Result { try theirs.decode(Tree.self, from: Data(bytes)) }
      switch (decoded, foundation) {
      case (.success(let one), .success(let other)):
        taken += 1
        if !one.isNearly(other) { problem("JSONDecoder reads something else: \(other), not \(one)") }
      case (.failure, .failure): break
      case (.success, .failure(let error)):
        // It takes no zero with an exponent.
        if String(decoding: bytes, as: UTF8.self).contains(#/(^|[^0-9.])(0|0\.0+)[eE]/#) { break }
        problem("JSONDecoder refuses it: \(error)")
      case (.failure(let error), .success):
        looser += 1
        if !isLooser(bytes, passed) { problem("JSONDecoder takes it: \(error)") }
      }
    }
    print("seed \(Share.seed): \(round) documents, \(taken) taken, \(looser) by JSONDecoder alone")
    #expect(taken > round / 3 && taken < round)
  }

  /// Whether the text is no JSON: then it is right to refuse it, whatever others do. That our own reader says so is no
  /// proof; so it must be one of the ways in which JSONDecoder is known to be loose.
  private func isLooser(_ bytes: [UInt8], _ passed: Result<Void, any Error>) -> Bool {
    guard case .failure(let error as JSONError) = passed else { return false }
    // No JSON has a zero (RFC 8259, 2 and 7), whatever is wrong where it was given up; JSONDecoder guesses another encoding.
    if bytes.contains(0) { return true }
    // What JSONDecoder does not look at, such as the second value of a key, JSONSerialization does.
    if (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) == nil { return true }
    // A comma before the end.
    guard error.code == .unexpectedCharacter, error.offset > 0 else { return false }
    return [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(bytes[error.offset])
  }

  @Test func records() throws {
    let rounds = Share.rounds(of: ReaderFuzzTests.whole / 100, orElse: ReaderFuzzTests.few / 3)
    let theirs = JSONDecoder()
    theirs.dateDecodingStrategy = .iso8601
    let ours = StrictJSONDecoder()
    ours.dateDecodingStrategy = .iso8601
    let text = String(
      decoding: Array(
        #"""
        {"id":1,"name":"a","flag":true,"small":1,"unsigned":2,"ratio":0.5,"price":1.25,"date":"2020-01-02T03:04:05Z",
        "link":"https://a.b","uuid":"12345678-1234-1234-1234-123456789ABC","blob":"AQID","color":"red","tags":["a","b"],
        "inner":{"x":1,"y":[1,null]},"list":[{"x":1,"y":[]},{"x":2,"y":[0.5],"z":{"k":[{"x":3,"y":[]}]}}],"map":{"a":1},
        "tree":[{"a":null}],"shape":{"circle":{"radius":2}}}
        """#.utf8), as: UTF8.self)
    let parts = ["null", "1", "-1", "1.5", "300", "\"\"", "\"red\"", "[]", "{}", "true", "[1]", "{\"x\":1}", "[null]"]
    var agreed = 0
    for round in 0..<rounds {
      var random = SeededGenerator(seed: Share.seed, round)
      // One value in the place of another, so that errors are those of values.
      var document = text
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let places = document.ranges(of: #/:("[^"]*"|-?[0-9.]+|true|null|\[\]|\{[^{}]*\})/#)
        guard let place = places.randomElement(using: &random) else { continue }
        document.replaceSubrange(place, with: ":" + parts[Int.random(in: 0..<parts.count, using: &random)])
      }
      let mine = Outcome { try ours.decode(Everything.self, from: Data(document.utf8)) }
      let other = Outcome { try theirs.decode(Everything.self, from: Data(document.utf8)) }
      if mine.agrees(with: other, type: "")
        || document.contains("\"z\"") && mine.agrees(with: other, type: "Dictionary")
      {
        if case .value = mine { agreed += 1 }
      } else {
        Issue.record("round \(round), seed \(Share.seed): \(mine), but JSONDecoder: \(other): \(document)")
      }
    }
    print("seed \(Share.seed): \(agreed) of \(rounds) records were read")
    #expect(agreed > 0 && agreed < rounds)
  }
}

extension Tree {
  /// The same, but that JSONDecoder makes an integer of a number that is nearly one.
  func isNearly(_ theirs: Tree) -> Bool {
    switch (self, theirs) {
    case (.number(let one, let whole), .number(let other, let rounded)):
      // The integer next to a number above 2⁵³ may be of another Double than the number's own.
      one.bitPattern == other.bitPattern
        && (whole == rounded || whole == nil && rounded.map { abs(Double($0) - one) <= one.ulp } ?? false)
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.isNearly($1) }
    case (.object(let one), .object(let other)):
      one.count == other.count && one.allSatisfy { key, value in other[key].map { value.isNearly($0) } ?? false }
    default: self == theirs
    }
  }
}
