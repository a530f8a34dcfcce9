import Foundation

/// Tells whether a key path is `\.rawValue`.
///
/// A key path to a computed property can be compared only with another that was made from the same property, and
/// generic code cannot name the property of a concrete type: it is told by what it does to every value of the type.
enum RawValueKeyPath {
  static func isRawValue<Root, Value>(_ keyPath: KeyPath<Root, Value>, of type: Root.Type) -> Bool {
    guard let raw = type as? any RawRepresentable.Type else { return false }
    return check(raw, keyPath)
  }

  private static func check<Raw: RawRepresentable>(_ type: Raw.Type, _ keyPath: AnyKeyPath) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Raw, Raw.RawValue> else { return false }
    // A struct that stores nothing but its raw value.
    if MemoryLayout<Raw>.offset(of: keyPath) == 0, MemoryLayout<Raw>.size == MemoryLayout<Raw.RawValue>.size {
      return true
    }
    guard let cases = EnumerationCases.all(of: type), !cases.isEmpty else { return false }
    return cases.allSatisfy { isSame($0[keyPath: keyPath], $0.rawValue) }
  }

  private static func isSame<Value>(_ left: Value, _ right: Value) -> Bool {
    guard let coding = ScalarCoding<Value>.find(), let left = try? coding.stored(left),
      let right = try? coding.stored(right)
    else { return false }
    return left == right
  }
}
