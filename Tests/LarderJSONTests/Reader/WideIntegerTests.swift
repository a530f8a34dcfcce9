import Foundation
import LarderRecords
import Testing

@testable import LarderJSON

/// Integers of 128 bits, which JSONDecoder and JSONEncoder have too.
@Suite struct WideIntegerTests {
  @JSONReadable
  struct Wide: Codable, Equatable {
    var signed: Int128
    var unsigned: UInt128
    var maybe: Int128?
    var list: [UInt128] = []
  }

  struct Keyed: Codable, Equatable { var byNumber: [Int128: UInt128] }

  static let signed: [Int128] = [.min, .min + 1, -(1 << 64), -1, 0, 1, 1 << 64, .max - 1, .max]
  static let unsigned: [UInt128] = [0, 1, 1 << 63, 1 << 64, .max - 1, .max]

  @Test func bothDirectionsAreThoseOfFoundation() throws {
    let theirs = JSONEncoder()
    theirs.outputFormatting = .sortedKeys
    for (index, number) in WideIntegerTests.signed.enumerated() {
      let unsigned = WideIntegerTests.unsigned[index % WideIntegerTests.unsigned.count]
      let value = Wide(
        signed: number, unsigned: unsigned, maybe: index.isMultiple(of: 2) ? number : nil,
        list: WideIntegerTests.unsigned)
      let json = try StableJSONEncoder().encode(value)
      #expect(try json == theirs.encode(value))
      #expect(try StrictJSONDecoder().decode(Wide.self, from: json) == value)
      #expect(try Wide(json: json) == value)
      #expect(try StableJSONEncoder().encode(number) == Data(String(number).utf8))
      #expect(try StrictJSONDecoder().decode(Int128.self, from: Data(String(number).utf8)) == number)
      // Dictionaries by such numbers are lists of keys and values, as by Foundation.
      let keyed = Keyed(byNumber: [number: unsigned])
      #expect(try StableJSONEncoder().encode(keyed) == theirs.encode(keyed))
      #expect(try StrictJSONDecoder().decode(Keyed.self, from: theirs.encode(keyed)) == keyed)
    }
  }

  @Test(arguments: [
    ("170141183460469231731687303715884105727.0", Int128.max), ("-1701411834604692317316873037158841057280e-1", .min),
    ("1e38", 100_000_000_000_000_000_000_000_000_000_000_000_000), ("12.50e1", 125), ("0e2", 0), ("-0", 0), ("0.0", 0),
    ("0.000000000000000000000000000000000000001e39", 1),
  ])
  func wholeNumbersInEachForm(_ text: String, _ expected: Int128) throws {
    #expect(try StrictJSONDecoder().decode(Int128.self, from: text.bytes) == expected)
    #expect(try JSONReader.read(text.bytes) { try $0.readInteger(Int128.self) } == expected)
  }

  @Test(arguments: [
    "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729", "1e39", "1e999", "0.5",
    "1e-1",
    "1.00000000000000000000000000000000000000000001",
  ])
  func whatDoesNotFitIsRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode(Int128.self, from: text.bytes) }
    #expect(
      code { _ = try JSONReader.read(text.bytes) { try $0.readInteger(Int128.self) } } == .numberNotRepresentable)
  }

  @Test(arguments: ["-1", "340282366920938463463374607431768211456", "1e40"])
  func whatDoesNotFitWithoutSignIsRefused(_ text: String) {
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode([UInt128].self, from: "[\(text)]".bytes) }
    #expect(code { _ = try [UInt128](json: "[\(text)]".bytes) } == .numberNotRepresentable)
  }

  @Test func otherKindsAreNamed() throws {
    for text in ["[\"1\"]", "[null]", "[true]"] {
      let ours = #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode([Int128].self, from: text.bytes) }
      let theirs = #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([Int128].self, from: Data(text.utf8))
      }
      switch (ours, theirs) {
      case (.typeMismatch, .typeMismatch), (.valueNotFound, .valueNotFound): break
      default: Issue.record("\(text): \(String(describing: ours)) and \(String(describing: theirs))")
      }
    }
  }
}
