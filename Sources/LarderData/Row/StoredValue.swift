public import Foundation

/// A value as stored: one of SQLite's five storage classes.
///
/// All persisted data can be represented as a short list of these: the evaluator compares them, a rollback restores them, and
/// another kind of store receives them. The fast path between a row and an object does not use them.
public enum _StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension _StoredValue {
  /// Returns whether both are equal by the store's rules: strings by their bytes, where Swift's `==` would treat two
  /// canonically equivalent strings as equal.
  public static func == (left: _StoredValue, right: _StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): haveSameBytes(a, b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

/// Returns whether two strings have the same UTF-8 bytes, which is how the store compares them.
@inlinable
package func haveSameBytes(_ left: String, _ right: String) -> Bool {
  guard left.utf8.count == right.utf8.count else { return false }
  // By memory if the storage is contiguous: one byte at a time costs several nanoseconds each.
  let compared = left.utf8.withContiguousStorageIfAvailable { left in
    right.utf8.withContiguousStorageIfAvailable { right -> Bool in
      guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
      return memcmp(first, second, left.count) == 0
    }
  }
  return (compared ?? nil) ?? left.utf8.elementsEqual(right.utf8)
}

extension _StoredValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .null: "nil"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let value): "\(value.count) bytes"
    }
  }
}
