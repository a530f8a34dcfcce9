import Foundation
import LarderSQLite
import LarderSupport
import SwiftData
import TestSeeds

@testable import LarderData

enum Grade: String, Codable, CaseIterable, Sendable { case low, middle, high }
enum Level: Int, Codable, Sendable {
  case first = 1
  case second = 2
  var title: String { "level \(rawValue)" }
}
struct Spot: Codable, Hashable, Sendable {
  var name: String
  var latitude: Double
  var depth: Int?
}
/// An enumeration with associated values, which is kept as JSON.
enum Mark: Codable, Hashable, Sendable {
  case none
  case number(Int)
  case note(String, Double?)
  var isNote: Bool { if case .note = self { true } else { false } }
}
/// A struct that isn't flat, and so is kept as JSON.
struct Box: Codable, Hashable, Sendable {
  var label: String
  var sizes: [Int]
  var spot: Spot?
}
struct Area: Codable, Hashable, Sendable {
  var title: String
  var center: Spot
}

@Model
final class Specimen {
  var name: String
  var nickname: String?
  var count: Int
  var rank: Int?
  var small: Int8
  var unsigned: UInt
  var weight: Double
  var height: Double?
  var single: Float
  var flag: Bool
  var maybe: Bool?
  var day: Date
  var end: Date?
  var price: Decimal
  var identifier: UUID
  var link: URL?
  var payload: Data
  var grade: Grade
  var level: Level?
  var spot: Spot
  var place: Spot?
  var area: Area
  var tags: [String]
  var notes: [String]?
  var scores: [String: Int]
  var numbers: Set<Int>
  var mark: Mark
  var box: Box?
  var boxes: [Box]
  var shout: String { name.uppercased() }

  init(_ r: inout some RandomNumberGenerator, isASCII: Bool) {
    func maybe<T>(_ value: T) -> T? { Int.random(in: 0..<3, using: &r) == 0 ? nil : value }
    let words = isASCII ? Specimen.words.filter { $0.utf8.allSatisfy { $0 < 128 } } : Specimen.words
    func word() -> String { words.randomElement(using: &r) ?? "" }
    func number() -> Int { Specimen.numbers.randomElement(using: &r) ?? 0 }
    func real() -> Double { Specimen.reals.randomElement(using: &r) ?? 0 }
    func aSpot() -> Spot { Spot(name: word(), latitude: real(), depth: maybe(number())) }
    name = word()
    nickname = maybe(word())
    count = number()
    rank = maybe(number())
    small = [0, 1, -1, 3, 100, .max, .min].randomElement(using: &r) ?? 0
    unsigned = [0, 1, 7, UInt(Int.max)].randomElement(using: &r) ?? 0
    weight = real()
    height = maybe(real())
    single = [0, 0.1, 1.5, -2, 1e30].randomElement(using: &r) ?? 0
    flag = Bool.random(using: &r)
    self.maybe = maybe(Bool.random(using: &r))
    day = Date(timeIntervalSinceReferenceDate: real())
    end = maybe(Date(timeIntervalSinceReferenceDate: real()))
    price = Specimen.prices.randomElement(using: &r) ?? 0
    identifier = Specimen.identifiers.randomElement(using: &r) ?? UUID()
    link = maybe(URL(string: "https://example.org/\(Int.random(in: 0..<3, using: &r))")!)
    payload = Data([1, 2, 3].prefix(Int.random(in: 0...3, using: &r)))
    grade = Grade.allCases.randomElement(using: &r) ?? .low
    level = maybe(Bool.random(using: &r) ? .first : .second)
    spot = aSpot()
    place = maybe(aSpot())
    area = Area(title: word(), center: aSpot())
    func some<T>(_ make: () -> T) -> [T] { (0..<Int.random(in: 0...3, using: &r)).map { _ in make() } }
    func aBox() -> Box { Box(label: word(), sizes: some { Int.random(in: 0...3, using: &r) }, spot: maybe(finite())) }
    // JSON has no infinite numbers.
    func finite() -> Spot { Spot(name: word(), latitude: Double(Int.random(in: -2...2, using: &r)), depth: nil) }
    tags = some(word)
    notes = maybe(some(word))
    scores = Dictionary(some { (word(), number()) }, uniquingKeysWith: { first, _ in first })
    numbers = Set(some(number))
    mark = [Mark.none, .number(number()), .note(word(), nil), .note(word(), 1.5)].randomElement(using: &r) ?? .none
    box = maybe(aBox())
    boxes = some(aBox)
  }

  static let words = [
    "", "a", "A", "b", "ab", "abc", "aba", "abd", "Zebra", "zebra", "10 km W of Cobb", "9 km", "a\u{0}b", "x\u{7F}",
    "\u{7F}", "M\u{E9}xico", "Mexico", "me\u{301}xico", "\u{10FFFF}", "\u{BF}", "ä", "Ä", "z",
  ]
  static let numbers = [0, 1, 2, 3, 7, -1, -7, 100, .max, .min, .max - 1]
  static let reals = [0, -0.0, 1, 1.5, -2.25, 1e300, -1e300, .infinity, 0.1, 3]
  static let prices = ["0", "1.1", "-1.1", "10", "9", "2.05", "-100", "99999999999999999999.01"].map {
    Decimal(string: $0) ?? 0
  }
  static let identifiers = (0..<4).map { UUID(uuid: ($0 * 67, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) }
}

/// Specimens in a table, and the three ways to ask them.
final class Laboratory {
  let layout = Specimen._$layout
  let connection: Connection
  let specimens: [Specimen]
  let values: [[_StoredValue]]

  init(seed: UInt64, count: Int = 400) throws {
    var random = SeededGenerator(seed: seed)
    specimens = (0..<count).map { Specimen(&random, isASCII: $0.isMultiple(of: 2)) }
    let layout = layout
    values = try specimens.map { specimen in
      let sink = _RowSink()
      var binder = _RowBinder(sink: sink, layout: layout)
      specimen._$bind(&binder, ~0)
      if let problem = binder.firstProblem { throw _UnstorableValue(problem.reason) }
      return sink.values
    }
    connection = try Connection(path: ":memory:")
    try PredicateFunctions.register(on: connection)
    for statement in TableDefinition(layout).creation { try connection.execute(statement) }
    let insert = try connection.prepare(TableStatements(layout, ModelHierarchy([layout])).insert)
    for (row, values) in values.enumerated() {
      insert.bind(1, Int64(row + 1))
      for (place, value) in values.enumerated() { insert.bind(Int32(place + 2), value) }
      try insert.run()
    }
  }

  deinit { connection.close() }

  /// The rows that SQL finds, counted from 0.
  func stored(_ predicate: Predicate<Specimen>, _ plan: PredicatePlan) throws -> [Int] {
    let found = try rows("WHERE \(plan.whereSQL) ORDER BY larder_id") { try plan.bind(predicate.expression, to: $0) }
    guard let test = try plan.residualTest(predicate.expression) else { return found }
    return try found.filter { row in try test { values[row][$0] } }
  }

  func rows(_ clause: String, bind: (Statement) throws -> Void = { _ in }) throws -> [Int] {
    let statement = try connection.prepare("SELECT larder_id FROM \"Specimen\" \(clause)")
    defer { statement.reset() }
    try bind(statement)
    var rows: [Int] = []
    while try statement.step() { rows.append(Int(statement.int64(0)) - 1) }
    return rows
  }

  /// The rows that the evaluator finds.
  func evaluated(_ predicate: Predicate<Specimen>, _ plan: PredicatePlan) throws -> [Int] {
    let parameters = try plan.parameterValues(predicate.expression)
    return try values.indices.filter { row in try plan.matches({ values[row][$0] }, parameters: parameters) }
  }

  /// Of the rows whose strings are ASCII, those that Foundation finds: others it compares by characters.
  func expected(_ predicate: Predicate<Specimen>) throws -> [Int] {
    try specimens.indices.filter { try $0.isMultiple(of: 2) && predicate.evaluate(specimens[$0]) }
  }
}
