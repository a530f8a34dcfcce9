import Foundation

/// Equality of values by the store's rules: strings by their bytes, also within collections, and composites by their
/// members; all other values by their own `==`.
struct StoreEquality<Value: Equatable> {
  let areEqual: (Value, Value) -> Bool

  init() {
    if let parts = Value.self as? any StoreEquatable.Type, let equality = StoreEquality.make(parts) {
      areEqual = equality
    } else if let codec = _AnyPropertyCodec.makeCodec(for: Value.self) as? CompositeCodec<Value> {
      areEqual = { codec.isSame($0, $1) }
    } else {
      areEqual = { $0 == $1 }
    }
  }

  private static func make<Parts: StoreEquatable>(_ type: Parts.Type) -> ((Value, Value) -> Bool)? {
    Parts.storeEquality() as? (Value, Value) -> Bool
  }
}

/// A type for which the store's equality differs from `==`.
private protocol StoreEquatable {
  /// Returns a function of two values of this type; nil where `==` is the store's equality.
  static func storeEquality() -> Any?
}

extension StoreEquatable where Self: StringProtocol {
  static func storeEquality() -> Any? {
    { (left: Self, right: Self) in left.utf8.elementsEqual(right.utf8) } as (Self, Self) -> Bool
  }
}

extension String: StoreEquatable {}
extension Substring: StoreEquatable {}

extension Character: StoreEquatable {
  static func storeEquality() -> Any? {
    { (left: Self, right: Self) in left.utf8.elementsEqual(right.utf8) } as (Self, Self) -> Bool
  }
}

private protocol EquatableProxy {
  static func equality() -> Any
}

private enum Equality<Value> {}

extension Equality: EquatableProxy where Value: Equatable {
  static func equality() -> Any { StoreEquality<Value>().areEqual }
}

private func equality<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
  (Equality<Value>.self as? any EquatableProxy.Type)?.equality() as? (Value, Value) -> Bool
}

extension Optional: StoreEquatable {
  static func storeEquality() -> Any? {
    guard let areEqual = equality(of: Wrapped.self) else { return nil }
    let result: (Self, Self) -> Bool = { left, right in
      switch (left, right) {
      case (nil, nil): true
      case (let left?, let right?): areEqual(left, right)
      default: false
      }
    }
    return result
  }
}

extension Array: StoreEquatable {
  static func storeEquality() -> Any? {
    guard let areEqual = equality(of: Element.self) else { return nil }
    let result: (Self, Self) -> Bool = { $0.elementsEqual($1, by: areEqual) }
    return result
  }
}

extension ArraySlice: StoreEquatable {
  static func storeEquality() -> Any? {
    guard let areEqual = equality(of: Element.self) else { return nil }
    let result: (Self, Self) -> Bool = { $0.elementsEqual($1, by: areEqual) }
    return result
  }
}

extension Dictionary: StoreEquatable {
  static func storeEquality() -> Any? {
    guard let areEqual = equality(of: Value.self) else { return nil }
    let result: (Self, Self) -> Bool = { left, right in
      left.count == right.count && left.allSatisfy { key, value in right[key].map { areEqual(value, $0) } ?? false }
    }
    return result
  }
}

/// The order of values by the store's rules: strings by their bytes.
struct StoreOrder<Value: Comparable> {
  let isLess: (Value, Value) -> Bool

  init() {
    if Value.self is any StringProtocol.Type {
      isLess = { left, right in
        guard let left = left as? any StringProtocol, let right = right as? any StringProtocol else { return false }
        return UTF8Comparison.order(String(left), String(right)) < 0
      }
    } else {
      isLess = { $0 < $1 }
    }
  }
}
