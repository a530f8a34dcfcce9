import Foundation

/// Recognises the key path `\.rawValue`.
///
/// A key path to a computed property equals only a key path made from the same property, and generic code cannot name the
/// property of a concrete type. So the key path is recognised by its result for every value of the type.
enum RawValueKeyPath {
  static func isRawValue<Root, Value>(_ keyPath: KeyPath<Root, Value>, of type: Root.Type) -> Bool {
    guard let raw = type as? any RawRepresentable.Type else { return false }
    return check(raw, keyPath)
  }

  private static func check<Raw: RawRepresentable>(_ type: Raw.Type, _ keyPath: AnyKeyPath) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Raw, Raw.RawValue> else { return false }
    // A struct that stores only its raw value.
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
