import Foundation
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

protocol Weighed {
  var mark: String { get }
  var grams: Int { get set }
  var price: Decimal? { get }
}

protocol Dispatched {
  var route: String? { get }
  var stop: Waypoint { get }
  var sent: Date? { get }
}

struct Waypoint: Codable, Hashable {
  var city: String
  var level: Double
}

@Model
final class Shipment: Weighed, Dispatched {
  var mark: String
  var grams: Int
  var price: Decimal?
  var route: String?
  var stop: Waypoint
  var sent: Date?

  init(_ random: inout SeededGenerator) {
    mark = ["b", "B", "a", "ä", "z10", "z9", ""].randomElement(using: &random) ?? ""
    grams = Int.random(in: -3...3, using: &random)
    price = random.chance(20) ? nil : Decimal(Int.random(in: -20...20, using: &random)) / 8
    route = random.chance(30) ? nil : ["n", "s", "S"].randomElement(using: &random)
    stop = Waypoint(
      city: ["Rome", "Oslo"].randomElement(using: &random) ?? "", level: Double.random(in: -1...1, using: &random))
    sent = random.chance(30) ? nil : Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<4, using: &random)))
  }
}

/// Of one test alone, so that no other asks for its requirement's name.
private protocol Headed {
  var title: String { get }
}

extension Medal: Headed {}

/// Orders and figures of generic functions, over what protocols require: the same as over the class.
@Suite struct RequirementOrderTests {
  private typealias Order = SortDescriptor<Shipment>

  private static func orders<Row: PersistentModel & Weighed & Dispatched>(
    _ type: Row.Type
  ) -> [SortDescriptor<Row>] {
    [
      SortDescriptor(\.mark), SortDescriptor(\.mark, comparator: .lexical, order: .reverse), SortDescriptor(\.grams),
      SortDescriptor(\.grams, order: .reverse), SortDescriptor(\.price), SortDescriptor(\.price, order: .reverse),
      SortDescriptor(\.route), SortDescriptor(\.stop.city), SortDescriptor(\.stop.level, order: .reverse),
      SortDescriptor(\.sent, order: .reverse),
    ]
  }

  private static var ofClass: [Order] {
    [
      SortDescriptor(\.mark), SortDescriptor(\.mark, comparator: .lexical, order: .reverse), SortDescriptor(\.grams),
      SortDescriptor(\.grams, order: .reverse), SortDescriptor(\.price), SortDescriptor(\.price, order: .reverse),
      SortDescriptor(\.route), SortDescriptor(\.stop.city), SortDescriptor(\.stop.level, order: .reverse),
      SortDescriptor(\.sent, order: .reverse),
    ]
  }

  private func field(_ place: StoreLocation, _ random: inout SeededGenerator) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Shipment.self)
    let context = store.context()
    for _ in 0..<30 { context.insert(Shipment(&random)) }
    try context.save()
    return (store, context)
  }

  private func disturb(_ context: ModelContext, _ random: inout SeededGenerator) throws {
    for shipment in try context.fetch(FetchDescriptor<Shipment>()) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: shipment.grams = Int.random(in: -3...3, using: &random)
      case 1: shipment.route = "edited"
      case 2 where random.chance(40): context.delete(shipment)
      default: break
      }
    }
    for _ in 0..<3 { context.insert(Shipment(&random)) }
  }

  @Test(arguments: StoreLocation.allCases)
  func ordersAreThoseOfTheClass(_ place: StoreLocation) throws {
    var random = Share.generator
    let (store, context) = try field(place, &random)
    defer { withExtendedLifetime(store) {} }
    for round in 0..<120 {
      if round == 40 { try disturb(context, &random) }
      if round == 80 { try context.save() }
      let places = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Int.random(in: 0..<Self.ofClass.count, using: &random)
      }
      var wanted = FetchDescriptor<Shipment>(sortBy: places.map { Self.ofClass[$0] })
      if random.chance(30) { wanted.predicate = #Predicate { $0.grams > 0 } }
      if random.chance(50) { wanted.fetchLimit = Int.random(in: 0...20, using: &random) }
      if random.chance(50) { wanted.fetchOffset = Int.random(in: 0...20, using: &random) }
      wanted.includePendingChanges = random.chance(70)
      var asked = wanted
      // One of them may be the class's own.
      asked.sortBy = places.enumerated().map { index, place in
        index == 1 ? Self.ofClass[place] : Self.orders(Shipment.self)[place]
      }
      let what: Comment = "LARDER_SEED=\(random.seed), round \(round): \(places)"
      #expect(try context.fetch(asked).map(\.persistentModelID) == context.fetch(wanted).map(\.persistentModelID), what)
      #expect(try context.fetchIdentifiers(asked) == context.fetchIdentifiers(wanted), what)
      #expect(try context.fetchCount(asked) == context.fetchCount(wanted), what)
      // Deleted objects are passed over.
      var enumerated: (asked: [PersistentIdentifier], wanted: [PersistentIdentifier]) = ([], [])
      try context.enumerate(asked, batchSize: 4) { enumerated.asked.append($0.persistentModelID) }
      try context.enumerate(wanted, batchSize: 4) { enumerated.wanted.append($0.persistentModelID) }
      #expect(enumerated.asked == enumerated.wanted, what)
    }
  }

  private struct Figures: Equatable {
    var values: [String]

    init<Row: PersistentModel & Weighed & Dispatched>(generic type: Row.Type, _ context: ModelContext, _ pending: Bool)
      throws
    {
      values = [
        "\(try context.sum(of: \Row.grams, includePendingChanges: pending))",
        "\(String(describing: try context.average(of: \Row.price, includePendingChanges: pending)))",
        "\(String(describing: try context.minimum(of: \Row.mark, includePendingChanges: pending)))",
        "\(String(describing: try context.maximum(of: \Row.sent, includePendingChanges: pending)))",
        "\(try context.count(of: \Row.route, includePendingChanges: pending))",
        "\(try context.countDistinct(of: \Row.stop.city, includePendingChanges: pending))",
        "\(try context.distinct(\Row.price, includePendingChanges: pending))",
        "\(try context.counts(by: \Row.stop, includePendingChanges: pending))",
        "\(try context.groups(by: \Row.route, \Row.mark, aggregating: .sum(\.grams), .maximum(\.price), includePendingChanges: pending))",
      ]
    }

    init(_ context: ModelContext, _ pending: Bool) throws {
      values = [
        "\(try context.sum(of: \Shipment.grams, includePendingChanges: pending))",
        "\(String(describing: try context.average(of: \Shipment.price, includePendingChanges: pending)))",
        "\(String(describing: try context.minimum(of: \Shipment.mark, includePendingChanges: pending)))",
        "\(String(describing: try context.maximum(of: \Shipment.sent, includePendingChanges: pending)))",
        "\(try context.count(of: \Shipment.route, includePendingChanges: pending))",
        "\(try context.countDistinct(of: \Shipment.stop.city, includePendingChanges: pending))",
        "\(try context.distinct(\Shipment.price, includePendingChanges: pending))",
        "\(try context.counts(by: \Shipment.stop, includePendingChanges: pending))",
        "\(try context.groups(by: \Shipment.route, \Shipment.mark, aggregating: .sum(\.grams), .maximum(\.price), includePendingChanges: pending))",
      ]
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func figuresAreThoseOfTheClass(_ place: StoreLocation) throws {
    var random = Share.generator
    let (store, context) = try field(place, &random)
    defer { withExtendedLifetime(store) {} }
    for round in 0..<3 {
      if round == 1 { try disturb(context, &random) }
      if round == 2 { try context.save() }
      for pending in [true, false] {
        let (asked, wanted) = (try Figures(generic: Shipment.self, context, pending), try Figures(context, pending))
        #expect(asked == wanted, "LARDER_SEED=\(random.seed), round \(round), pending \(pending)")
      }
    }
  }

  /// A requirement that is met by what is computed.
  @Test func whatIsComputedIsAnOrder() throws {
    let store = try TestStore(.memory, Medal.self, Collector.self)
    let context = store.context()
    for title in ["c", "a", "b"] { context.insert(Medal(key: title, title: title, city: "Rome")) }
    try context.save()
    func sorted<Row: PersistentModel & Described>(_ type: Row.Type) throws -> [String] {
      try context.fetch(FetchDescriptor<Row>(sortBy: [SortDescriptor(\.summary, order: .reverse)])).map(\.title)
    }
    #expect(try sorted(Medal.self) == ["c", "b", "a"])
  }

  /// The name of a computed property is in the program's file, which is long: it is read for an error, and once for each name.
  @Test func theProgramsFileIsReadForErrorsAlone() throws {
    let store = try TestStore(.memory, Medal.self, Collector.self)
    let context = store.context()
    func accessor(_ keyPath: AnyKeyPath) throws -> UInt {
      let text = "\(keyPath)"
      let start = try #require(text.range(of: "<computed 0x")).upperBound
      return try #require(UInt(text[start...].prefix(while: \.isHexDigit), radix: 16))
    }
    func check<Row: PersistentModel & Headed>(_ type: Row.Type) throws {
      let address = try accessor(\Row.title)
      let last: String? = try context.aggregate(Row.self, .maximum(\.title))
      #expect(last == nil)
      #expect(try context.fetch(FetchDescriptor<Row>(sortBy: [SortDescriptor(\.title)])).isEmpty)
      #expect(!SymbolNames.isCached(address))
      #expect(ReadableKeyPath.text(\Row.title).hasSuffix(".title"))
      #expect(SymbolNames.isCached(address))
    }
    try check(Medal.self)
  }
}
