import Foundation
import LarderData
import SwiftData

/// An order as the store is asked for it, and as plain Swift has it.
struct RandomOrder<Model> {
  let descriptor: SortDescriptor<Model>
  /// Less than 0 where the first comes first.
  let sign: (Model, Model) -> Int
}

enum TextOrder { case usual, lexical, localized, standard }

extension RandomOrder {
  /// By the bytes, where people see no difference.
  private static func sign(_ left: String, _ right: String, _ order: TextOrder) -> Int {
    let result: ComparisonResult =
      switch order {
      case .lexical: .orderedSame
      case .localized: left.localizedCompare(right)
      case .usual, .standard: left.localizedStandardCompare(right)
      }
    if result != .orderedSame { return result.rawValue }
    if left.utf8.elementsEqual(right.utf8) { return 0 }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
  }

  private static func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  /// nil first.
  private static func sign<Value>(_ left: Value?, _ right: Value?, _ sign: (Value, Value) -> Int) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let left?, let right?): sign(left, right)
    }
  }

  static func by<Value: Comparable>(
    _ path: any KeyPath<Model, Value> & Sendable, _ order: SortOrder
  ) -> RandomOrder {
    RandomOrder(descriptor: SortDescriptor(path, order: order)) {
      sign($0[keyPath: path], $1[keyPath: path]) * (order == .reverse ? -1 : 1)
    }
  }

  static func by<Value: Comparable & SendableMetatype>(
    optional path: any KeyPath<Model, Value?> & Sendable, _ order: SortOrder
  ) -> RandomOrder {
    RandomOrder(descriptor: SortDescriptor(path, order: order)) {
      sign($0[keyPath: path], $1[keyPath: path], sign) * (order == .reverse ? -1 : 1)
    }
  }

  static func by(text path: any KeyPath<Model, String> & Sendable, _ text: TextOrder, _ order: SortOrder) -> RandomOrder
  {
    let descriptor: SortDescriptor<Model> =
      switch text {
      case .usual: SortDescriptor(path, order: order)
      case .lexical: SortDescriptor(path, comparator: .lexical, order: order)
      case .localized: SortDescriptor(path, comparator: LocalizedStringComparator.localized, order: order)
      case .standard: SortDescriptor(path, comparator: LocalizedStringComparator.localizedStandard, order: order)
      }
    return RandomOrder(descriptor: descriptor) {
      sign($0[keyPath: path], $1[keyPath: path], text) * (order == .reverse ? -1 : 1)
    }
  }

  static func by(
    optionalText path: any KeyPath<Model, String?> & Sendable, _ text: TextOrder, _ order: SortOrder
  ) -> RandomOrder {
    let descriptor: SortDescriptor<Model> =
      switch text {
      case .usual: SortDescriptor(path, order: order)
      case .lexical: SortDescriptor(path, comparator: .lexical, order: order)
      case .localized: SortDescriptor(path, comparator: LocalizedStringComparator.localized, order: order)
      case .standard: SortDescriptor(path, comparator: LocalizedStringComparator.localizedStandard, order: order)
      }
    return RandomOrder(descriptor: descriptor) {
      sign($0[keyPath: path], $1[keyPath: path]) { sign($0, $1, text) } * (order == .reverse ? -1 : 1)
    }
  }
}

extension RandomOrder where Model: PersistentModel {
  static func byIdentifier(_ order: SortOrder) -> RandomOrder {
    RandomOrder(descriptor: SortDescriptor(\.persistentModelID, order: order)) {
      sign($0.persistentModelID, $1.persistentModelID) * (order == .reverse ? -1 : 1)
    }
  }
}

extension PredicateMaker {
  mutating func order() -> SortOrder { chance(50) ? .forward : .reverse }
  mutating func textOrder() -> TextOrder { values.pick([.usual, .lexical, .lexical, .localized, .standard]) }

  mutating func orders<Root: Kernel>(of root: Root.Type) -> [RandomOrder<Root>] {
    (0..<choose(4)).map { _ in Root.orders(&self) }
  }
}

extension Array {
  /// The objects in these orders, and where all are equal in that of their identifiers.
  func sorted(by orders: [RandomOrder<Element>]) -> [Element] where Element: PersistentModel {
    sorted { left, right in
      for order in orders {
        let sign = order.sign(left, right)
        if sign != 0 { return sign < 0 }
      }
      return left.persistentModelID < right.persistentModelID
    }
  }
}

extension Grain {
  static func orders(_ maker: inout PredicateMaker) -> RandomOrder<Grain> {
    let (order, text) = (maker.order(), maker.textOrder())
    return switch maker.choose(34) {
    case 0, 1: .by(text: \.name, text, order)
    case 2: .by(optionalText: \.nickname, text, order)
    case 3: .by(\.number, order)
    case 4: .by(optional: \.rank, order)
    case 5: .by(\.weight, order)
    case 6: .by(optional: \.height, order)
    case 7: .by(\.day, order)
    case 8: .by(optional: \.end, order)
    case 9: .by(\.price, order)
    case 10: .by(optional: \.cost, order)
    case 11: .by(\.code, order)
    case 12: .by(\.spot.latitude, order)
    case 13: .by(text: \.spot.name, text, order)
    case 14: .by(optionalText: \.place?.name, text, order)
    case 15: .by(optional: \.place?.depth, order)
    case 16: .by(optionalText: \.sack?.name, text, order)
    case 17: .by(optional: \.sack?.rank, order)
    case 18: .by(text: \.home.name, text, order)
    case 19: .by(\.home.number, order)
    case 20: .by(optional: \.parent?.parent?.tame, order)
    case 21: .by(optional: \.lead?.price, order)
    case 22: .by(optionalText: \.sack?.cover?.nickname, text, order)
    case 23: .by(optional: \.parent?.home.day, order)
    case 24: .by(optional: \.lead?.leader?.weight, order)
    case 25: .by(\.small, order)
    case 26: .by(optional: \.sack?.spot.latitude, order)
    case 27: .by(text: \.home.spot.name, text, order)
    case 28: .by(optional: \.lead?.place?.depth, order)
    case 29: .by(optionalText: \.home.place?.name, text, order)
    case 30, 31: .byIdentifier(order)
    default: .by(\.tame, order)
    }
  }
}

extension Sack {
  static func orders(_ maker: inout PredicateMaker) -> RandomOrder<Sack> {
    let (order, text) = (maker.order(), maker.textOrder())
    return switch maker.choose(9) {
    case 6: .byIdentifier(order)
    case 0: .by(text: \.name, text, order)
    case 1: .by(optionalText: \.cover?.name, text, order)
    case 2: .by(optional: \.cover?.leader?.number, order)
    case 3: .by(optional: \.cost, order)
    case 4: .by(optional: \.place?.latitude, order)
    case 5: .by(optional: \.cover?.height, order)
    default: .by(\.tame, order)
    }
  }
}

extension Ticket {
  static func orders(_ maker: inout PredicateMaker) -> RandomOrder<Ticket> {
    let (order, text) = (maker.order(), maker.textOrder())
    return switch maker.choose(8) {
    case 0: .by(optionalText: \.nickname, text, order)
    case 1: .by(optionalText: \.leader?.nickname, text, order)
    case 2: .by(optional: \.leader?.home.price, order)
    case 3: .by(optional: \.leader?.sack?.end, order)
    case 4: .by(\.price, order)
    case 5: .by(\.spot.latitude, order)
    default: .by(\.tame, order)
    }
  }
}
