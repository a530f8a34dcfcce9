import Foundation
import TestSeeds

/// Random values, of which many lie where implementations go wrong.
struct HostileValues {
  var random: SeededGenerator
  /// Whether strings are ASCII without line breaks, so that bytes and characters are the same.
  var isPlain = true

  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
  mutating func maybe<Value>(_ make: (inout HostileValues) -> Value) -> Value? {
    random.chance(35) ? nil : make(&self)
  }
  mutating func list<Value>(_ make: (inout HostileValues) -> Value) -> [Value] {
    (0..<pick([0, 1, 2, 3])).map { _ in make(&self) }
  }

  mutating func number() -> Int { pick([0, 1, 2, 3, -1, 7, .max, .min, .max - 1]) }
  mutating func tame() -> Int { Int.random(in: -3...3, using: &random) }
  mutating func real() -> Double {
    pick([0, -0.0, 1, 1.5, -2.25, 1e300, -.infinity, .infinity, 0.1, .leastNonzeroMagnitude])
  }
  mutating func text() -> String {
    let plain = ["", "a", "A", "ab", "b", "aba", "Zebra", "zebra", "10 km", "9 km", "x\u{7F}"]
    let others = [
      "caf\u{E9}", "cafe\u{301}", "a\r\nb", "\n", "a\u{0}b", "\u{10FFFF}", "\u{301}", "ß", "SS", "İ", "👨‍👩‍👧", "日本",
    ]
    return pick(isPlain || random.chance(40) ? plain : others)
  }
  mutating func flag() -> Bool { random.chance(50) }
  mutating func date() -> Date {
    let seconds = pick([0, -0.0, 1.5, 694_224_000.1, -63_114_076_800, 252_423_993_599, 1e-9, .infinity, -.infinity])
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
  mutating func decimal() -> Decimal {
    let text = pick([
      "0", "1.1", "-1.1", "10", "9", "2.05", "-100", "0.01", "99999999999999999999999999999999999999",
      "-0.00000000000000000000000000000000000001", "12345678901234567890123456789012345678",
    ])
    return Decimal(string: text) ?? 0
  }
  mutating func spot() -> Spot { Spot(name: text(), latitude: real(), depth: maybe { $0.tame() }) }
  mutating func mark() -> Mark {
    let (number, text) = (number(), text())
    return pick([.none, .number(number), .note(text, nil), .note(text, 1.5)])
  }
  mutating func box() -> Box {
    // JSON has no infinite numbers.
    let inner = Spot(name: text(), latitude: pick([0, 1, -2.5]), depth: nil)
    return Box(label: text(), sizes: list { $0.tame() }, spot: maybe { _ in inner })
  }
}
