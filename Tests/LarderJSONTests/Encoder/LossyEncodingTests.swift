import Foundation
import LarderJSON
import TestSeeds
import Testing

/// What could not be encoded leaves nothing of itself where the error is caught. (JSONEncoder leaves it out, too, and puts
/// what had been encoded of it into the next value, or ends the program.)
@Suite struct LossyEncodingTests {
  struct Refused: Error {}

  /// What a value does as it is encoded.
  indirect enum Value {
    case number(Int)
    case null
    /// Which JSON cannot say.
    case nan
    case object([Member])
    case array([Member])
    /// By a container of a single value.
    case single(Value)
    /// Is encoded, and throws then.
    case refused(Value)
    /// A dictionary, which the encoder knows.
    case dictionary([String: Double])
  }

  struct Member {
    var key: String
    var value: Value
    /// By a nested container or an encoder for a superclass, if the value is made of parts.
    var isNested = false
    var isCaught = true
  }

  static func value(_ depth: Int, _ random: inout SeededGenerator) -> Value {
    func members() -> [Member] {
      (0..<Int.random(in: 0...4, using: &random)).map { place in
        let isNested = Int.random(in: 0...2, using: &random) == 0
        // Keys of values come again, those of what is made of parts do not.
        let key = isNested ? "p\(place)" : "k\(Int.random(in: 0...2, using: &random))"
        let isCaught = Int.random(in: 0...3, using: &random) != 0
        return Member(key: key, value: value(depth - 1, &random), isNested: isNested, isCaught: isCaught)
      }
    }
    switch Int.random(in: 0...(depth == 0 ? 3 : 12), using: &random) {
    case 0, 1: return .number(Int.random(in: 0...99, using: &random))
    case 2: return .null
    case 3: return .nan
    case 4, 5, 6: return .object(members())
    case 7, 8, 9: return .array(members())
    case 10: return .single(value(depth - 1, &random))
    case 11: return .refused(value(depth - 1, &random))
    default: return .dictionary(["a": 1, "b": Bool.random(using: &random) ? .nan : 2])
    }
  }
}

// MARK: - As it is encoded

extension LossyEncodingTests.Value: Encodable {
  typealias Member = LossyEncodingTests.Member

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var values = encoder.container(keyedBy: AnyKey.self)
      for member in members { try member.encode(to: &values) }
    case .array(let members):
      var elements = encoder.unkeyedContainer()
      for member in members { try member.encode(to: &elements) }
    case .refused(let value):
      try value.encode(to: encoder)
      throw LossyEncodingTests.Refused()
    case .number(let number):
      var container = encoder.singleValueContainer()
      // What fails before leaves the place to another.
      try? container.encode(["a": 1, "b": Double.nan])
      try container.encode(number)
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .nan:
      var container = encoder.singleValueContainer()
      try container.encode(Double.nan)
    case .single(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .dictionary(let numbers):
      var container = encoder.singleValueContainer()
      try container.encode(numbers)
    }
  }
}

extension LossyEncodingTests.Member {
  private func catching(_ body: () throws -> Void) throws { if isCaught { try? body() } else { try body() } }

  func encode(to values: inout KeyedEncodingContainer<AnyKey>) throws {
    let key = AnyKey(stringValue: key)
    switch value {
    case .object(let members) where isNested:
      var nested = values.nestedContainer(keyedBy: AnyKey.self, forKey: key)
      try catching { for member in members { try member.encode(to: &nested) } }
    case .array(let members) where isNested:
      var nested = values.nestedUnkeyedContainer(forKey: key)
      try catching { for member in members { try member.encode(to: &nested) } }
    case .single(.object(let members)) where isNested:
      try catching { try LossyEncodingTests.Value.object(members).encode(to: values.superEncoder(forKey: key)) }
    case .nan: try catching { try values.encode(Double.nan, forKey: key) }
    case .null: try catching { try values.encodeNil(forKey: key) }
    default: try catching { try values.encode(value, forKey: key) }
    }
  }

  func encode(to elements: inout any UnkeyedEncodingContainer) throws {
    switch value {
    case .object(let members) where isNested:
      var nested = elements.nestedContainer(keyedBy: AnyKey.self)
      try catching { for member in members { try member.encode(to: &nested) } }
    case .array(let members) where isNested:
      var nested = elements.nestedUnkeyedContainer()
      try catching { for member in members { try member.encode(to: &nested) } }
    case .single(.object(let members)) where isNested:
      try catching { try LossyEncodingTests.Value.object(members).encode(to: elements.superEncoder()) }
    case .nan: try catching { try elements.encode(Float.infinity) }
    case .null: try catching { try elements.encodeNil() }
    default: try catching { try elements.encode(value) }
    }
  }
}

// MARK: - What is to be left of it

extension LossyEncodingTests {
  /// An object or array that is filled, also where that ends with an error.
  private final class Parts {
    var values: [String: String] = [:]
    var elements: [String] = []
    var object: String {
      "{" + values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    var array: String { "[" + elements.joined(separator: ",") + "]" }
  }

  private static func text(_ value: Value) throws -> String {
    let parts = Parts()
    switch value {
    case .number(let number): return String(number)
    case .null: return "null"
    case .nan: throw Refused()
    case .object(let members):
      try fill(parts, members, isObject: true)
      return parts.object
    case .array(let members):
      try fill(parts, members, isObject: false)
      return parts.array
    case .single(let value): return try text(value)
    case .refused: throw Refused()
    case .dictionary(let numbers):
      if numbers.values.contains(where: \.isNaN) { throw Refused() }
      return #"{"a":1,"b":2}"#
    }
  }

  private static func fill(_ parts: Parts, _ members: [Member], isObject: Bool) throws {
    for member in members {
      let place = parts.elements.count
      func put(_ text: String) {
        if isObject {
          parts.values[member.key] = text
        } else if parts.elements.count > place {
          parts.elements[place] = text
        } else {
          parts.elements.append(text)
        }
      }
      do {
        let inner = Parts()
        switch member.value {
        case .object(let members) where member.isNested, .single(.object(let members)) where member.isNested:
          defer { put(inner.object) }
          try fill(inner, members, isObject: true)
        case .array(let members) where member.isNested:
          defer { put(inner.array) }
          try fill(inner, members, isObject: false)
        default: put(try text(member.value))
        }
      } catch  where member.isCaught {}
    }
  }

  @Test func nothingIsLeftOfWhatFailed() throws {
    let seed = Share.seed
    var lengths = 0
    for round in 0..<Share.rounds(of: 1_000_000, orElse: 10_000) {
      var random = SeededGenerator(seed: seed, round)
      let value = LossyEncodingTests.value(4, &random)
      let expected = try? LossyEncodingTests.text(value)
      let written = (try? StableJSONEncoder().encodeBytes(value)).map { String(decoding: $0, as: UTF8.self) }
      try #require(written == expected, "LARDER_SEED=\(seed), round \(round): \(value)")
      lengths += expected?.count ?? 0
    }
    #expect(lengths > 50_000)
  }

  @Test func whatIsLeftIsWhatJSONEncoderLeaves() throws {
    struct Item: Encodable {
      var id: Int
      var price: Double
      enum Keys: CodingKey { case id, price }
      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        try values.encode(id, forKey: .id)
        try values.encode(price, forKey: .price)
      }
    }
    struct Lossy: Encodable {
      func encode(to encoder: any Encoder) throws {
        var elements = encoder.unkeyedContainer()
        for price in [1, .nan, 3] { try? elements.encode(Item(id: elements.count, price: price)) }
      }
    }
    let theirs = JSONEncoder()
    theirs.outputFormatting = .sortedKeys
    let text = String(decoding: try StableJSONEncoder().encode(Lossy()), as: UTF8.self)
    #expect(text == #"[{"id":0,"price":1},{"id":1,"price":3}]"#)
    #expect(try text == String(decoding: theirs.encode(Lossy()), as: UTF8.self))
  }

  @Test func strategiesThatFailLeaveNothing() throws {
    struct Dates: Encodable {
      func encode(to encoder: any Encoder) throws {
        var elements = encoder.unkeyedContainer()
        for second in 0..<4 { try? elements.encode(Date(timeIntervalSince1970: Double(second))) }
        // Keys of dictionaries stay, by another way than that of other types.
        try? elements.encode(["aDay": Date(timeIntervalSince1970: 0), "other": Date(timeIntervalSince1970: 1)])
      }
    }
    let encoder = StableJSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var parts = encoder.unkeyedContainer()
      try parts.encode("seconds")
      if date.timeIntervalSince1970 == 1 { throw Refused() }
      try parts.encode(date.timeIntervalSince1970)
    }
    let text = String(decoding: try encoder.encode(Dates()), as: UTF8.self)
    #expect(text == #"[["seconds",0],["seconds",2],["seconds",3]]"#)
  }
}
