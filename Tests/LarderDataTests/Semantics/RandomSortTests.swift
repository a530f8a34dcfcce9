import Foundation
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

/// Orders of the store against plain arrays, with what is saved and with what is pending.
@Suite struct RandomSortTests {
  private typealias Order = (descriptor: SortDescriptor<Reading>, compare: (Reading, Reading) -> ComparisonResult)

  @Test(arguments: StoreLocation.allCases)
  func randomOrdersAgreeWithArrays(_ place: StoreLocation) throws {
    let seed = Share.seed
    var random = SeededGenerator(seed: seed)
    let store = try TestStore(place, Reading.self)
    let context = store.context()
    var models: [Reading] = []
    for number in 0..<40 { models.append(.random(number, &random)) }
    for model in models { context.insert(model) }
    for step in 0..<Share.steps(300) {
      switch step % 10 {
      case 3: try context.save()
      case 5:
        models.append(.random(models.count, &random))
        models.last.map { context.insert($0) }
      case 7: models.randomElement(using: &random)?.station = ["a", "ä", "B"].randomElement(using: &random) ?? ""
      case 8: models.randomElement(using: &random)?.home = Site(name: "h", x: Double(step % 3), y: 0)
      default: break
      }
      let orders = (0..<Int.random(in: 1...3, using: &random)).map { _ in order(&random) }
      var descriptor = FetchDescriptor<Reading>(sortBy: orders.map(\.descriptor))
      descriptor.fetchOffset = [nil, 0, 3].randomElement(using: &random) ?? nil
      descriptor.fetchLimit = [nil, 5].randomElement(using: &random) ?? nil
      let fetched = try context.fetch(descriptor).map(\.number)
      // Array's sort is stable, and the array is in the order of the identifiers.
      var expected = models.sorted { left, right in
        for order in orders {
          let result = order.compare(left, right)
          if result != .orderedSame { return result == .orderedAscending }
        }
        return left.number < right.number
      }.map(\.number)
      expected.removeFirst(min(expected.count, descriptor.fetchOffset ?? 0))
      if let limit = descriptor.fetchLimit { expected = Array(expected.prefix(limit)) }
      #expect(fetched == expected, "LARDER_SEED=\(seed), step \(step): \(orders.map(\.descriptor))")
      let batches = try context.fetch(descriptor, batchSize: 7).map(\.number)
      #expect(batches == expected, "LARDER_SEED=\(seed), step \(step), in batches")
    }
  }

  private func order(_ random: inout SeededGenerator) -> Order {
    let direction: SortOrder = Bool.random(using: &random) ? .forward : .reverse
    func by<Value: Comparable>(_ keyPath: any KeyPath<Reading, Value> & Sendable) -> Order {
      (
        SortDescriptor(keyPath, order: direction),
        { compare($0[keyPath: keyPath], $1[keyPath: keyPath], direction, <) }
      )
    }
    func byOptional<Value: Comparable>(_ keyPath: any KeyPath<Reading, Value?> & Sendable) -> Order {
      (
        SortDescriptor(keyPath, order: direction),
        { compareOptional($0[keyPath: keyPath], $1[keyPath: keyPath], direction, <) }
      )
    }
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return by(\.level)
    case 1: return by(\.small)
    case 2: return by(\.price)
    case 3: return byOptional(\.change)
    case 4: return by(\.time)
    case 5: return by(\.spot.x)
    case 6: return byOptional(\.home?.x)
    case 7:
      return (
        SortDescriptor(\.station, comparator: .lexical, order: direction),
        { compare($0.station, $1.station, direction, bytesBefore) }
      )
    case 8:
      return (
        SortDescriptor(\.station, comparator: .localizedStandard, order: direction),
        { compare($0.station, $1.station, direction, standardBefore) }
      )
    case 9:
      return (
        SortDescriptor(\.spot.name, order: direction),
        { compare($0.spot.name, $1.spot.name, direction, standardBefore) }
      )
    default:
      return (
        SortDescriptor(\.home?.name, comparator: .localized, order: direction),
        { compareOptional($0.home?.name, $1.home?.name, direction, plainBefore) }
      )
    }
  }
}

private func compare<Value>(
  _ left: Value, _ right: Value, _ direction: SortOrder, _ isBefore: (Value, Value) -> Bool
) -> ComparisonResult {
  let result: ComparisonResult =
    isBefore(left, right) ? .orderedAscending : isBefore(right, left) ? .orderedDescending : .orderedSame
  guard direction == .reverse, result != .orderedSame else { return result }
  return result == .orderedAscending ? .orderedDescending : .orderedAscending
}

/// nil comes before every value.
private func compareOptional<Value>(
  _ left: Value?, _ right: Value?, _ direction: SortOrder, _ isBefore: (Value, Value) -> Bool
) -> ComparisonResult {
  switch (left, right) {
  case (let left?, let right?): compare(left, right, direction, isBefore)
  case (nil, nil): .orderedSame
  default: compare(left == nil ? 0 : 1, right == nil ? 0 : 1, direction, <)
  }
}

private func bytesBefore(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}

private func standardBefore(_ left: String, _ right: String) -> Bool {
  let result = left.localizedStandardCompare(right)
  return result == .orderedSame ? bytesBefore(left, right) : result == .orderedAscending
}

private func plainBefore(_ left: String, _ right: String) -> Bool {
  let result = left.localizedCompare(right)
  return result == .orderedSame ? bytesBefore(left, right) : result == .orderedAscending
}
