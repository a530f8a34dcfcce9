import Foundation
import LarderRecords
import TestSeeds
import Testing

@testable import LarderJSON

/// One rule for keys in snake case: what JSONDecoder and JSONEncoder make of them.
@Suite struct SnakeCaseTests {
  /// Ten thousand keys each time.
  private static let rounds = 10_000
  private static let ascii = Array("abcxyzABCXYZ0129____-.' ")
  /// Small and capital letters of two scripts, one that is both and one that is neither, a digit and marks that combine.
  private static let others =
    Array("aZ_1éÉßǅǆ日Ωω٣").map(String.init) + ["e\u{301}", "\u{301}", "_\u{301}", "İ", "ŉ", "ﬁ"]

  private static func name(_ seed: UInt64, _ round: Int) -> String {
    var random = SeededGenerator(seed: seed, round)
    let count = Int.random(in: 1...14, using: &random)
    return (0..<count).map { _ in
      let isOther = round % 4 == 0 && Bool.random(using: &random)
      return isOther ? others.randomElement(using: &random) ?? "" : String(ascii.randomElement(using: &random) ?? "a")
    }.joined()
  }

  /// The keys of an object, as a type sees them.
  private struct Keys: Decodable {
    var names: [String]
    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    }
  }

  private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test func keysAreThoseThatJSONDecoderReads() throws {
    let (ours, theirs) = (StrictJSONDecoder(), JSONDecoder())
    ours.keyDecodingStrategy = .convertFromSnakeCase
    theirs.keyDecodingStrategy = .convertFromSnakeCase
    let seed = Share.seed
    for round in 0..<SnakeCaseTests.rounds {
      let name = SnakeCaseTests.name(seed, round)
      let document = try JSONEncoder().encode([name: 1])
      let expected = bytes(try theirs.decode(Keys.self, from: document).names)
      let decoded = bytes(try ours.decode(Keys.self, from: document).names)
      let converted = try JSONReader.read(Array(document)) { reader in
        try reader.beginObject()
        let key = try #require(try reader.nextKey())
        let converted = reader.camelCased(key)?.string ?? key.string
        try reader.skipValue()
        _ = try reader.nextKey()
        return converted
      }
      try #require(decoded == expected, "\(name.debugDescription), LARDER_SEED=\(seed), round \(round)")
      try #require(bytes([converted]) == expected, "\(name.debugDescription), LARDER_SEED=\(seed), round \(round)")
    }
  }

  private struct Named: Encodable {
    let key: AnyKey
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: AnyKey.self)
      try values.encode(1, forKey: key)
    }
  }

  @Test func keysAreThoseThatJSONEncoderWrites() throws {
    let (ours, theirs) = (StableJSONEncoder(), JSONEncoder())
    ours.keyEncodingStrategy = .convertToSnakeCase
    theirs.keyEncodingStrategy = .convertToSnakeCase
    let seed = Share.seed
    for round in 0..<SnakeCaseTests.rounds {
      let name = SnakeCaseTests.name(seed, round)
      let value = Named(key: AnyKey(stringValue: name))
      let (written, expected) = (try ours.encode(value), try theirs.encode(value))
      try #require(written == expected, "\(name.debugDescription), LARDER_SEED=\(seed), round \(round)")
    }
  }

  @Test(arguments: [
    ("is_2fa_enabled", "is2FaEnabled"), ("address_2", "address2"), ("h_264", "h264"), ("a_1st", "a1St"),
    ("a_b-c", "aB-C"),
    ("__a_b__", "__aB__"), ("A_B", "aB"), ("aB", "aB"), ("a__b", "aB"), ("_", "_"), ("", ""),
  ])
  func keysFromSnakeCase(_ key: String, _ expected: String) { #expect(SnakeCase.camelCase(key) == expected) }

  @Test(arguments: [
    ("URL", "u_rl"), ("XYZ", "x_yz"), ("aB1C", "a_b1c"), ("myURLPath", "my_url_path"), ("_aB_", "_a_b_"), ("a", "a"),
    ("aBC", "a_bc"), ("éÉ", "é_é"), ("", ""),
  ])
  func keysToSnakeCase(_ name: String, _ expected: String) { #expect(SnakeCase.snakeCase(name) == expected) }

  // MARK: Types that read themselves

  @JSONReadable(keys: .convertFromSnakeCase)
  struct Spot: Decodable, Equatable {
    var address2: Int?
    var h264: Int?
    var is2FaEnabled: Int?
    var updatedAt: Int?
    var url: Int?
    var _aB: Int?
  }

  private static let spellings = [
    ["address", "2"], ["h", "264"], ["is", "2fa", "enabled"], ["updated", "at"], ["url"], ["", "a", "b"],
    ["other", "key"],
    ["updatedAt"], ["address2"], ["_aB"], ["is2FaEnabled"], ["u", "rl"],
  ]

  private static func spelling(_ random: inout SeededGenerator) -> String {
    let words = spellings.randomElement(using: &random) ?? []
    return words.enumerated().map { index, word in
      let underscores = index == 0 ? "" : String(repeating: "_", count: Int.random(in: 1...2, using: &random))
      switch Int.random(in: 0...4, using: &random) {
      case 0: return underscores + word.uppercased()
      case 1: return underscores + word.capitalized
      default: return underscores + word
      }
    }.joined() + (Int.random(in: 0...9, using: &random) == 0 ? "_" : "")
  }

  @Test func recordsReadTheKeysThatTheStrategyReads() throws {
    let theirs = JSONDecoder()
    theirs.keyDecodingStrategy = .convertFromSnakeCase
    let seed = Share.seed
    for round in 0..<SnakeCaseTests.rounds {
      var random = SeededGenerator(seed: seed, round)
      let keys = (0..<Int.random(in: 1...6, using: &random)).map { _ in SnakeCaseTests.spelling(&random) }
      let text = "{" + keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
      let expected = try theirs.decode(Spot.self, from: Data(text.utf8))
      try #require(try Spot(json: text.bytes) == expected, "\(text), LARDER_SEED=\(seed), round \(round)")
    }
  }

  @JSONReadable(keys: .convertFromSnakeCase)
  struct Picture: Codable {
    var imageURL: String?
    var imageUrl2: String?
  }

  @JSONReadable(keys: .convertFromSnakeCase)
  struct Pictures {
    var imageURL: String?
    var imageUrl: String?
  }

  /// JSONDecoder finds `imageUrl` there, and thus nothing.
  @Test func recordsReadWhatJSONEncoderHasWritten() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let json = try encoder.encode(Picture(imageURL: "a", imageUrl2: "b"))
    #expect(String(decoding: json, as: UTF8.self).contains("image_url\""))
    let picture = try Picture(json: json)
    #expect(picture.imageURL == "a" && picture.imageUrl2 == "b")
    let pictures = try Pictures(json: #"{"image_url":"a","imageURL":"b"}"#.bytes)
    #expect(
      pictures.imageUrl == "a" && pictures.imageURL == "b", "a key belongs to the property that it is converted to")
  }
}
