import Foundation
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

@Suite struct AggregateTests {
  private func filled(_ place: StoreLocation, _ readings: [Reading]) throws -> ModelContext {
    let store = try TestStore(place, Reading.self)
    let context = store.context()
    for reading in readings { context.insert(reading) }
    try context.save()
    return context
  }

  private func several(_ place: StoreLocation) throws -> ModelContext {
    try filled(
      place,
      [
        Reading(1, station: "ak", quality: .low, level: 1.5, small: 100, price: 1.10, change: 0.5),
        Reading(2, station: "ak", quality: .high, level: -2, small: 100, price: 2.25),
        Reading(3, station: "ci", quality: nil, level: 4, small: 100, price: -10, change: -1.25),
      ])
  }

  @Test(arguments: StoreLocation.allCases)
  func figuresOfAllModels(_ place: StoreLocation) throws {
    let context = try several(place)
    #expect(try context.count(Reading.self) == 3)
    #expect(try context.count(Reading.self, where: #Predicate { $0.station == "ak" }) == 2)
    #expect(try context.count(of: \Reading.change) == 2)
    #expect(try context.countDistinct(of: \Reading.station) == 2)
    #expect(try context.countDistinct(of: \Reading.quality) == 2)
    #expect(try context.sum(of: \Reading.level) == 3.5)
    #expect(try context.sum(of: \Reading.level, where: #Predicate { $0.level > 0 }) == 5.5)
    #expect(try context.sum(of: \Reading.small) == 300)
    #expect(try context.average(of: \Reading.number) == 2)
    #expect(try context.average(of: \Reading.level) == 3.5 / 3)
    #expect(try context.minimum(of: \Reading.level) == -2)
    #expect(try context.maximum(of: \Reading.station) == "ci")
    #expect(try context.maximum(of: \Reading.time) == Date(timeIntervalSinceReferenceDate: 0))
    let (count, most, total) = try context.aggregate(
      Reading.self, .count, .maximum(\.price), .sum(\.price), where: #Predicate { $0.number < 3 })
    #expect(count == 2)
    #expect(most == 2.25)
    #expect(total == 3.35)
  }

  @Test(arguments: StoreLocation.allCases)
  func decimalsAreExact(_ place: StoreLocation) throws {
    let context = try several(place)
    #expect(try context.sum(of: \Reading.price) == Decimal(string: "-6.65"))
    #expect(try context.sum(of: \Reading.change) == -0.75)
    #expect(try context.average(of: \Reading.change) == Decimal(string: "-0.375"))
    // By value: as texts, "-10" would come before "-9" and after "-1".
    #expect(try context.minimum(of: \Reading.price) == -10)
    #expect(try context.maximum(of: \Reading.change) == 0.5)
    // 39 digits on the way, 38 in the end: what `+` would lose.
    let large = try #require(Decimal(string: "1e38"))
    let wide = try filled(
      place, [Reading(1, price: large), Reading(2, price: Decimal(string: "0.01") ?? 0), Reading(3, price: -large)])
    #expect(try wide.sum(of: \Reading.price) == Decimal(string: "0.01"))
    let failure = #expect(throws: FetchError.self) {
      try wide.sum(of: \Reading.price, where: #Predicate { $0.number < 3 })
    }
    #expect(failure?.code == .arithmetic)
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func sumsThatDoNotFitAreTypedErrors(_ place: StoreLocation, _ isPending: Bool) throws {
    let context = try filled(place, [Reading(.max), Reading(1), Reading(-1)])
    if isPending { context.insert(Reading(0)) }
    // Only the result has to fit.
    #expect(try context.sum(of: \Reading.number) == Int.max)
    #expect(try context.average(of: \Reading.number) == Double(Int.max) / (isPending ? 4 : 3))
    let failure = #expect(throws: FetchError.self) {
      try context.sum(of: \Reading.number, where: #Predicate { $0.number >= 0 })
    }
    #expect(failure?.code == .arithmetic)
    #expect(failure?.explanation.contains("\\Reading.number") == true, "\(String(describing: failure))")
    // An average needs no such number.
    #expect(try context.average(of: \Reading.number, where: #Predicate { $0.number > 0 }) == 0x1p62)
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func floatingPointSumsDoNotDependOnTheOrder(_ place: StoreLocation, _ isPending: Bool) throws {
    let levels = [1e300, 0.1, 0.2, -1e300, 1e-300, 0.3, 1.7e308, 1.7e308, -1.7e308, -1.7e308]
    for levels in [levels, levels.reversed(), levels.sorted()] {
      let context = try filled(place, levels.enumerated().map { Reading($0.offset, level: $0.element) })
      if isPending { context.insert(Reading(-1)) }
      #expect(try context.sum(of: \Reading.level) == 0.6)
    }
    let infinite = try filled(place, [Reading(1, level: .infinity), Reading(2, level: -.infinity)])
    if isPending { infinite.insert(Reading(-1)) }
    #expect(try infinite.sum(of: \Reading.level).isNaN)
    #expect(try infinite.average(of: \Reading.level)?.isNaN == true)
    #expect(try infinite.sum(of: \Reading.level, where: #Predicate { $0.number < 2 }) == .infinity)
    #expect(try infinite.maximum(of: \Reading.level) == .infinity)
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func nothingHasASumOfZeroAndNothingElse(_ place: StoreLocation, _ isPending: Bool) throws {
    let context = try filled(place, [])
    if isPending {
      context.insert(Reading(1))
      context.insert(Reading(2))
    }
    let none = #Predicate<Reading> { $0.number > 5 }
    #expect(try context.count(Reading.self, where: none) == 0)
    #expect(try context.sum(of: \Reading.level, where: none) == 0)
    #expect(try context.sum(of: \Reading.price, where: none) == 0)
    #expect(try context.sum(of: \Reading.change, where: none) == 0)
    #expect(try context.average(of: \Reading.number, where: none) == nil)
    #expect(try context.average(of: \Reading.level, where: none) == nil)
    #expect(try context.average(of: \Reading.price, where: none) == nil)
    #expect(try context.minimum(of: \Reading.station, where: none) == nil)
    // All of them nil, which is as none.
    #expect(try context.average(of: \Reading.change) == nil)
    #expect(try context.maximum(of: \Reading.change) == nil)
    #expect(try context.groups(by: \Reading.station, aggregating: .count, where: none).isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func groupsAreTypedByTheirKeys(_ place: StoreLocation) throws {
    let context = try several(place)
    let counts = try context.counts(by: \Reading.quality)
    #expect(counts.map(\.key) == [nil, .high, .low])
    #expect(counts.map(\.count) == [1, 1, 1])
    #expect(try context.distinct(\Reading.station) == ["ak", "ci"])
    #expect(try context.distinct(\Reading.price) == [-10, 1.1, 2.25])
    #expect(try context.distinct(\Reading.spot) == [Site(name: "", x: 0, y: 0)])
    #expect(try context.distinct(\Reading.home) == [nil])
    var seen: [String] = []
    for (station, (count, total)) in try context.groups(by: \Reading.station, aggregating: .count, .sum(\.price)) {
      seen.append("\(station) \(count) \(total)")
    }
    #expect(seen == ["ak 2 3.35", "ci 1 -10"])
    let pairs = try context.groups(by: \.station, \.spot.name, aggregating: .maximum(\Reading.level))
    #expect(pairs.map(\.key.0) == ["ak", "ci"])
    #expect(pairs.map(\.values) == [1.5, 4])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatTheStoreCannotComputeIsATypedError(_ place: StoreLocation) throws {
    let context = try several(place)
    for failure in [
      #expect(throws: FetchError.self) { try context.distinct(\Reading.tags) },
      #expect(throws: FetchError.self) { try context.distinct(\Reading.station.count) },
      #expect(throws: FetchError.self) { try context.count(of: \Reading.home) },
      #expect(throws: FetchError.self) { try context.countDistinct(of: \Reading.tags) },
    ] {
      #expect(failure?.code == .invalidAggregate)
    }
    #expect(try context.count(of: \Reading.home?.name) == 0)
    // A value that no case has.
    let store = try TestStore(place, Reading.self)
    let other = store.context()
    other.insert(Reading(1))
    try other.save()
    try store.execute("UPDATE Reading SET quality = 'odd'")
    #expect(throws: FetchError.self) { try other.distinct(\Reading.quality) }
  }

  @Test(arguments: StoreLocation.allCases)
  func pendingChangesArePartOfTheAnswer(_ place: StoreLocation) throws {
    let context = try several(place)
    let models = try context.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)]))
    models[0].level = 10
    #expect(try context.sum(of: \Reading.level) == 12)
    #expect(try context.sum(of: \Reading.level, includePendingChanges: false) == 3.5)
    context.insert(Reading(4, station: "new", level: 0.5))
    #expect(try context.sum(of: \Reading.level) == 12.5)
    #expect(try context.distinct(\Reading.station) == ["ak", "ci", "new"])
    context.delete(models[1])
    #expect(try context.sum(of: \Reading.level) == 14.5)
    #expect(try context.counts(by: \Reading.station).map(\.count) == [1, 1, 1])
  }

  /// Nothing is loaded, and a shape is prepared once, where what is pending has no part in the answer.
  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func aggregatesMakeNoObjectsAndOneStatement(_ place: StoreLocation) throws {
    let store = try TestStore(place, Reading.self)
    let context = store.context()
    for number in 1...3 { context.insert(Reading(number, station: number < 3 ? "ak" : "ci", level: Double(number))) }
    try context.save()
    let model = try #require(try context.fetch(FetchDescriptor<Reading>()).first)
    // Rows of which no object can be made.
    try store.execute("UPDATE Reading SET quality = 'odd' WHERE number > 1")
    #expect(throws: FetchError.self) { try context.fetch(FetchDescriptor<Reading>()) }
    func work() throws {
      for least in 0..<50 {
        let total = try context.sum(of: \Reading.level, where: #Predicate { $0.number > least })
        #expect(total == [6, 5, 3].dropFirst(least).first ?? 0)
        let groups = try context.groups(
          by: \Reading.station, aggregating: .count, .average(\.price), where: #Predicate { $0.number > least })
        #expect(groups.count == [2, 2, 1].dropFirst(least).first ?? 0)
      }
    }
    try work()
    let done = try context.reading(work)
    #expect(done.statementsPrepared == 0)
    #expect(done.statementRuns == 100)
    // An edit of another property is no reason to load anything.
    model.price = 5
    #expect(try context.sum(of: \Reading.level) == 6)
    // One of this property is.
    model.level = 5
    #expect(throws: FetchError.self) { try context.sum(of: \Reading.level) }
  }

  @Test(arguments: StoreLocation.allCases)
  func theLeastValueOfAnIndexIsOneEntry(_ place: StoreLocation) throws {
    let context = try filled(place, (0..<2_000).map { Reading($0, level: Double($0)) })
    #expect(try context.minimum(of: \Reading.level) == 0)
    let done = try context.reading {
      let extremes = (try context.minimum(of: \Reading.level), try context.maximum(of: \Reading.level))
      #expect(extremes == (0, 1_999))
    }
    #expect(done.machineSteps < 200)
  }

  /// Saved or pending, the answer is that of plain arrays.
  @Test(arguments: StoreLocation.allCases)
  func randomAggregatesAgreeWithArrays(_ place: StoreLocation) throws {
    let seed = Share.seed
    var generator = SeededGenerator(seed: seed)
    let store = try TestStore(place, Reading.self)
    let context = store.context()
    for number in 0..<60 { context.insert(Reading.random(number, &generator)) }
    try context.save()
    for round in 0..<40 {
      try check(context, least: Int.random(in: -2...60, using: &generator), "LARDER_SEED=\(seed), round \(round)")
      let all = try context.fetch(FetchDescriptor<Reading>())
      switch round % 5 {
      case 0: context.insert(Reading.random(60 + round, &generator))
      case 1: all.randomElement(using: &generator).map { context.delete($0) }
      case 2: all.randomElement(using: &generator)?.station = "moved"
      case 3: all.randomElement(using: &generator)?.change = Decimal(round)
      default: try context.save()
      }
    }
  }

  private func check(_ context: ModelContext, least: Int, _ comment: String) throws {
    let matching = #Predicate<Reading> { $0.number >= least }
    // Asked first, so that nothing is in memory that is not pending.
    let sums = try context.aggregate(
      Reading.self, .count, .sum(\.small), .sum(\.price), .average(\.change), .minimum(\.station), where: matching)
    let byStation = try context.groups(
      by: \Reading.station, \.quality, aggregating: .count, .maximum(\.time), .sum(\.level), .sum(\.spot.x),
      .minimum(\Reading.home?.name), where: matching)
    let models = try context.fetch(FetchDescriptor<Reading>()).filter { $0.number >= least }
    #expect(sums.0 == models.count, "\(comment)")
    #expect(sums.1 == models.reduce(0) { $0 + Int($1.small) }, "\(comment)")
    #expect(sums.2 == models.reduce(0) { $0 + $1.price }, "\(comment)")
    let changes = models.compactMap(\.change)
    #expect(sums.3 == (changes.isEmpty ? nil : changes.reduce(0, +) / Decimal(changes.count)), "\(comment)")
    #expect(sums.4.map { Array($0.utf8) } == models.map { Array($0.station.utf8) }.min(by: isBefore), "\(comment)")

    let groups = Dictionary(grouping: models) { Key(station: Array($0.station.utf8), quality: $0.quality?.rawValue) }
    let keys = groups.keys.sorted {
      $0.station == $1.station ? ($0.quality ?? "") < ($1.quality ?? "") : isBefore($0.station, $1.station)
    }
    #expect(byStation.map { Array($0.key.0.utf8) } == keys.map(\.station), "\(comment)")
    #expect(byStation.map { $0.key.1?.rawValue } == keys.map(\.quality), "\(comment)")
    for (group, key) in zip(byStation, keys) {
      let members = groups[key] ?? []
      #expect(group.values.0 == members.count, "\(comment)")
      #expect(group.values.1 == members.map(\.time).max(), "\(comment)")
      #expect(group.values.3 == members.reduce(0) { $0 + $1.spot.x }, "\(comment)")
      let homes = members.compactMap { $0.home.map { Array($0.name.utf8) } }
      #expect(group.values.4.map { Array($0.utf8) } == homes.min(by: isBefore), "\(comment)")
    }
  }

  private struct Key: Hashable {
    let station: [UInt8]
    let quality: String?
  }

  private func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
}
