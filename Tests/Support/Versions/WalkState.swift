/// An item in whatever version: what a version lacks is nil.
package struct ItemState: Hashable, Sendable {
  package let number: Int
  package var a: Double?
  package var b: String?
  package var c: Point3?
  package var d: [UInt8]?

  package init(number: Int) { self.number = number }
}

package struct Pair: Hashable, Sendable {
  package let box: Int
  package let item: Int

  package init(box: Int, item: Int) {
    self.box = box
    self.item = item
  }
}

/// What a store holds, and the oracle of what another version makes of it.
package struct WalkState: Equatable, Sendable {
  package var items: [Int: ItemState] = [:]
  package var boxes: Set<Int> = []
  package var pairs: Set<Pair> = []

  package init() {}

  package init(_ items: [ItemState], _ boxes: [Int], _ pairs: [Pair]) {
    self.items = Dictionary(items.map { ($0.number, $0) }) { one, _ in one }
    self.boxes = Set(boxes)
    self.pairs = Set(pairs)
  }

  /// The same in another version; nil where it is to be refused.
  package func migrated(from old: WalkShape, to new: WalkShape) -> WalkState? {
    var result = self
    for (number, item) in items {
      var item = item
      if !Self.migrate(&item.a, had: old.a != .none, to: new.a) { return nil }
      if !Self.migrate(&item.b, had: old.b != .none, to: new.b) { return nil }
      if !Self.migrate(&item.c, had: old.c != .none, to: new.c) { return nil }
      item.d = new.d == .none || old.d == .none ? nil : item.d
      result.items[number] = item
    }
    guard old.a.converts(to: new.a), let pairs = pairs(from: old.r, to: new.r) else { return nil }
    result.pairs = pairs
    return result
  }

  private static func migrate(_ value: inout Double?, had: Bool, to form: WalkShape.A) -> Bool {
    if form == .none {
      value = nil
    } else if form == .defaultInt, value == nil {
      value = 7
    } else if value == nil, form != .optionalInt, form != .optionalDouble {
      return false
    }
    return true
  }

  private static func migrate(_ value: inout String?, had: Bool, to form: WalkShape.B) -> Bool {
    if form == .none {
      value = nil
    } else if form == .defaultString, value == nil {
      value = "on"
    } else if value == nil, form != .optionalString {
      return false
    }
    return true
  }

  private static func migrate(_ value: inout Point3?, had: Bool, to form: WalkShape.C) -> Bool {
    switch form {
    case .none: value = nil
    case .two: if value == nil { return false }
    case .three: return value != nil
    case .defaultTwo: if value == nil { value = Point3(x: 7, y: 8, z: nil) }
    case .optionalTwo: break
    case .optionalThree: return true
    }
    value?.z = nil
    return true
  }

  private func pairs(from old: WalkShape.R, to new: WalkShape.R) -> Set<Pair>? {
    // Without an end that both have, it is another relationship.
    if old.ends.isDisjoint(with: new.ends) { return [] }
    let byItem = Dictionary(grouping: pairs, by: \.item)
    let byBox = Dictionary(grouping: pairs, by: \.box)
    if new.isToOneOfItems, byItem.contains(where: { $0.value.count > 1 }) { return nil }
    if new == .single, byBox.contains(where: { $0.value.count > 1 }) { return nil }
    return pairs
  }
}

extension WalkShape.A {
  private enum Kind { case integer, real, decimal }

  private var kind: Kind? {
    switch self {
    case .none: nil
    case .int, .optionalInt, .defaultInt: .integer
    case .double, .optionalDouble: .real
    case .decimal: .decimal
    }
  }

  /// Whether the values can be taken over, whatever they are.
  fileprivate func converts(to other: WalkShape.A) -> Bool {
    guard let kind, let otherKind = other.kind else { return true }
    return kind == otherKind || kind == .integer
  }
}

extension WalkShape.R {
  package enum End { case item, box }

  /// The ends that have a property.
  package var ends: Set<End> {
    switch self {
    case .none: []
    case .oneWay: [.item]
    case .listed: [.box]
    case .mirrored, .shared, .single: [.item, .box]
    }
  }

  /// Whether an item has one box at most.
  package var isToOneOfItems: Bool { self == .oneWay || self == .mirrored || self == .single }
}
