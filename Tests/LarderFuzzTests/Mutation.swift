import DurabilityWork
import Foundation

/// Turns bytes that are well into bytes that may not be.
struct Mutation {
  private static let telling: [[UInt8]] = [
    [0], [0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], Array("null".utf8), Array("-1".utf8), Array("\"".utf8),
    Array("9223372036854775807".utf8), Array("-9223372036854775808".utf8), Array("1e400".utf8), Array("\\ud800".utf8),
    Array("[[[[[[[[".utf8), Array("}".utf8), Array("\n".utf8), Array("larder_".utf8), [0xC3], [0xED, 0xA0, 0x80],
  ]

  /// - Parameter others: What parts may be taken from.
  static func of(_ bytes: [UInt8], _ others: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, others, &random) }
    return bytes
  }

  private static func mutate(_ bytes: inout [UInt8], _ others: [[UInt8]], _ random: inout SeededGenerator) {
    if bytes.isEmpty { return bytes.append(UInt8.random(in: 0...255, using: &random)) }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let length = min(bytes.count - place, 1 << Int.random(in: 0...6, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<place + length)
    case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: Int.random(in: 0...bytes.count, using: &random))
    case 4: bytes.removeSubrange(place...)
    case 5:
      let telling = telling[Int.random(in: 0..<telling.count, using: &random)]
      let end = Bool.random(using: &random) ? min(bytes.count, place + telling.count) : place
      bytes.replaceSubrange(place..<end, with: telling)
    case 6:
      guard let other = others.randomElement(using: &random), !other.isEmpty else { return }
      let start = Int.random(in: 0..<other.count, using: &random)
      bytes.replaceSubrange(place..<place + length, with: other[start..<min(other.count, start + length)])
    default:
      // A number beside a number.
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) {
        bytes[place] = UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &random)
      } else {
        bytes[place] &+= 1
      }
    }
  }

  // MARK: JSON

  /// Bytes anywhere, or values of JSON, of which most of what is mutated anywhere is none any more.
  static func ofEither(_ bytes: [UInt8], _ others: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    Bool.random(using: &random) ? of(bytes, others, &random) : ofValues(bytes, &random)
  }

  private static let numbers: [String] = [
    "0", "1", "2", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e300", "0.5", "-0.0",
    "null",
    "\"\"", "true", "[]", "{}", "4294967296", "7",
  ]
  private static let texts = [
    "", "s1", "\\u0000", "\\ud83d\\ude00", "e\\u0301", "\\u202e", "%", "_", "s1\\\"; --", "greaterThan", "lessThan",
    "add", "multiply", "subtract",
  ]

  /// Other numbers for numbers, and other texts for texts: still JSON, and often of the right shape.
  static func ofValues(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var text = String(decoding: bytes, as: UTF8.self)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if Int.random(in: 0..<3, using: &random) > 0 {
        guard let number = text.ranges(of: /-?[0-9][0-9.e+]*/).randomElement(using: &random) else { continue }
        text.replaceSubrange(number, with: numbers.randomElement(using: &random) ?? "0")
      } else {
        guard let word = text.ranges(of: /"[^"\\]*"/).randomElement(using: &random) else { continue }
        text.replaceSubrange(word, with: "\"\(texts.randomElement(using: &random) ?? "")\"")
      }
    }
    return Array(text.utf8)
  }
}
