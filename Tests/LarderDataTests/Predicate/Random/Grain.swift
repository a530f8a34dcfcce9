import Foundation
import SwiftData

/// What random predicates are about: a value of each kind, optional and not, many of them hostile.
@Model
final class Grain {
  var serial: Int
  /// Whether its strings are ASCII without a line break, so that bytes and characters are the same.
  var isPlain: Bool
  var number: Int
  var rank: Int?
  /// Small numbers, whose sums and products cannot overflow.
  var tame: Int
  var small: Int8
  var weight: Double
  var height: Double?
  var name: String
  var nickname: String?
  var flag: Bool
  var maybe: Bool?
  var day: Date
  var end: Date?
  var price: Decimal
  var cost: Decimal?
  var code: UUID
  var payload: Data
  var grade: Grade
  var level: Level?
  var spot: Spot
  var place: Spot?
  var tags: [String]
  var notes: [String]?
  var marks: [Int]
  var scores: [String: Int]
  var mark: Mark
  var box: Box?

  init(_ serial: Int, _ values: inout HostileValues) {
    let isPlain = serial.isMultiple(of: 2)
    values.isPlain = isPlain
    self.serial = serial
    self.isPlain = isPlain
    number = values.number()
    rank = values.maybe { $0.number() }
    tame = values.tame()
    small = values.pick([0, 1, -1, 3, .max, .min])
    weight = values.real()
    height = values.maybe { $0.real() }
    name = values.text()
    nickname = values.maybe { $0.text() }
    flag = values.flag()
    maybe = values.maybe { $0.flag() }
    day = values.date()
    end = values.maybe { $0.date() }
    price = values.decimal()
    cost = values.maybe { $0.decimal() }
    code = values.pick(Specimen.identifiers)
    payload = Data(values.pick([[], [1], [1, 2], [0, 255]]) as [UInt8])
    grade = values.pick(Grade.allCases)
    level = values.maybe { $0.pick([.first, .second]) }
    spot = values.spot()
    place = values.maybe { $0.spot() }
    tags = values.list { $0.text() }
    notes = values.maybe { $0.list { $0.text() } }
    marks = values.list { $0.number() }
    scores = Dictionary(values.list { ($0.text(), $0.number()) }, uniquingKeysWith: { first, _ in first })
    mark = values.mark()
    box = values.maybe { $0.box() }
  }

  /// Takes over what another one has.
  func become(_ other: Grain) {
    (isPlain, number, rank, tame, small) = (other.isPlain, other.number, other.rank, other.tame, other.small)
    (weight, height, name, nickname) = (other.weight, other.height, other.name, other.nickname)
    (flag, maybe, day, end, price, cost) = (other.flag, other.maybe, other.day, other.end, other.price, other.cost)
    (code, payload, grade, level) = (other.code, other.payload, other.grade, other.level)
    (spot, place, tags, notes, marks) = (other.spot, other.place, other.tags, other.notes, other.marks)
    (scores, mark, box) = (other.scores, other.mark, other.box)
  }
}

/// Random values, of which many lie where implementations go wrong.
struct HostileValues {
  var random: SeededGenerator
  /// Whether strings are ASCII without line breaks.
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
  mutating func real() -> Double { pick([0, -0.0, 1, 1.5, -2.25, 1e300, -.infinity, .infinity, 0.1, 5e-324]) }
  mutating func text() -> String {
    let plain = ["", "a", "A", "ab", "b", "aba", "Zebra", "zebra", "10 km", "9 km", "x\u{7F}"]
    let others = [
      "caf\u{E9}", "cafe\u{301}", "a\r\nb", "\n", "a\u{0}b", "\u{10FFFF}", "\u{301}", "ß", "SS", "İ", "👨‍👩‍👧", "日本",
    ]
    return pick(isPlain || random.chance(40) ? plain : others)
  }
  mutating func flag() -> Bool { random.chance(50) }
  mutating func date() -> Date {
    pick([0, -0.0, 1.5, 694_224_000.1, -63_114_076_800, 252_423_993_599, 1e-9]).asDate
  }
  mutating func decimal() -> Decimal {
    let text = pick([
      "0", "1.1", "-1.1", "10", "9", "2.05", "-100", "0.01", "99999999999999999999999999999999999999",
      "-0.00000000000000000000000000000000000001",
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

extension Double {
  fileprivate var asDate: Date { Date(timeIntervalSinceReferenceDate: self) }
}
