import DurabilityWork
package import Foundation
package import SwiftData

/// A walk from version to version, with objects that come at each.
package struct Walk {
  package private(set) var version: Int
  package private(set) var state = WalkState()
  package private(set) var refusals = 0
  package let url: URL
  private var random: SeededGenerator
  private var next = 1

  package init(seed: UInt64, url: URL) {
    self.url = url
    random = SeededGenerator(seed: seed)
    version = Int(random.next() % UInt64(walkVersions.count))
  }

  private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  package static func open(_ version: Int, _ url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: walkVersions[version]), configurations: [ModelConfiguration(url: url)],
      migration: MigrationOptions(removedValues: .discard))
  }

  /// What is wrong with the store as it is.
  package func problem() throws -> String? {
    let found = try walkVersions[version].read(ModelContext(try Walk.open(version, url)))
    if found == state { return nil }
    return "version \(version + 1) has \(found), and not \(state)"
  }

  /// Inserts some objects.
  package mutating func insert(_ count: Int) throws {
    let type = walkVersions[version]
    let boxes = Array(next..<next + 1 + count / 4)
    var items: [ItemState] = []
    for number in next..<next + count { items.append(item(number, type.shape)) }
    next += count
    let pairs = pairs(items.map(\.number), boxes, type.shape.r)
    let context = ModelContext(try Walk.open(version, url))
    try type.insert(items, boxes: boxes, pairs, into: context)
    try context.save()
    for item in items { state.items[item.number] = item }
    state.boxes.formUnion(boxes)
    state.pairs.formUnion(pairs)
  }

  private mutating func item(_ number: Int, _ shape: WalkShape) -> ItemState {
    var item = ItemState(number: number)
    let mayBeNil = below(3) == 0
    if shape.a != .none, !(mayBeNil && (shape.a == .optionalInt || shape.a == .optionalDouble)) {
      item.a = Double(below(100))
    }
    if shape.b != .none, !(mayBeNil && shape.b == .optionalString) { item.b = below(2) == 0 ? "on" : "off" }
    if shape.c != .none, !(mayBeNil && (shape.c == .optionalTwo || shape.c == .optionalThree)) {
      let hasThree = shape.c == .three || shape.c == .optionalThree
      item.c = Point3(x: below(9), y: below(9), z: hasThree && below(2) == 0 ? below(9) : nil)
    }
    if shape.d != .none, !mayBeNil { item.d = (0..<below(40)).map { UInt8(truncatingIfNeeded: $0) } }
    return item
  }

  private mutating func pairs(_ items: [Int], _ boxes: [Int], _ form: WalkShape.R) -> [Pair] {
    if form == .none { return [] }
    var pairs: [Pair] = []
    var free = boxes
    for item in items where below(4) > 0 {
      if form == .single {
        if let box = free.popLast() { pairs.append(Pair(box: box, item: item)) }
      } else {
        pairs.append(Pair(box: boxes[below(boxes.count)], item: item))
        if !form.isToOneOfItems, below(4) == 0 {
          let second = boxes[below(boxes.count)]
          if second != pairs.last?.box { pairs.append(Pair(box: second, item: item)) }
        }
      }
    }
    return pairs
  }

  /// Chooses the version to go to.
  package mutating func choose() -> Int { below(walkVersions.count) }

  /// Opens the store as another version.
  ///
  /// - Returns: What is wrong with it.
  package mutating func go(to other: Int) throws -> String? {
    let expected = state.migrated(from: walkVersions[version].shape, to: walkVersions[other].shape)
    let way = "from version \(version + 1) to \(other + 1)"
    do {
      let found = try walkVersions[other].read(ModelContext(try Walk.open(other, url)))
      guard let expected else { return "\(way): not refused, \(found)" }
      if found != expected { return "\(way): \(found), and not \(expected)" }
      (version, state) = (other, expected)
    } catch let error as StoreError {
      if expected != nil { return "\(way): \(error)" }
      refusals += 1
    }
    return try problem().map { "after the way \(way): \($0)" }
  }
}
