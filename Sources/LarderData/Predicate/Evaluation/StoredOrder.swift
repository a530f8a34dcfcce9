import CLarderSQLite
import LarderSupport

/// Comparison of stored values in Swift, with the same results as in SQLite.
enum StoredOrder {
  /// Returns whether two values are equal, where NULL equals NULL.
  static func isEqual(_ left: _StoredValue, _ right: _StoredValue) -> Bool {
    switch (left, right) {
    case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): Double(exactly: a) == b
    default: left == right
    }
  }

  /// Returns the result of a comparison; false where a value is NULL or NaN.
  static func compare(_ order: ComparisonOrder, _ left: _StoredValue, _ right: _StoredValue, _ kind: ValueKind) -> Bool
  {
    guard let sign = sign(left, right, kind) else { return false }
    return switch order {
    case .less: sign < 0
    case .lessOrEqual: sign <= 0
    case .greater: sign > 0
    case .greaterOrEqual: sign >= 0
    }
  }

  /// Returns -1, 0 or 1; nil where values have no order.
  static func sign(_ left: _StoredValue, _ right: _StoredValue, _ kind: ValueKind) -> Int? {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.real(let a), .real(let b)):
      guard !a.isNaN, !b.isNaN else { return nil }
      return a < b ? -1 : a == b ? 0 : 1
    case (.integer(let a), .real(let b)): return sign(a, b)
    case (.real(let a), .integer(let b)): return sign(b, a).map { -$0 }
    case (.text(let a), .text(let b)):
      return kind == .decimal ? UTF8Comparison.decimalOrder(a, b) : UTF8Comparison.order(a, b)
    case (.blob(let a), .blob(let b)):
      return a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
    default: return nil
    }
  }

  /// Compares exactly, where a conversion of the integer would round.
  private static func sign(_ integer: Int64, _ real: Double) -> Int? {
    if real.isNaN { return nil }
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = real.rounded(.towardZero)
    let truncated = Int64(whole)
    if integer != truncated { return integer < truncated ? -1 : 1 }
    return real == whole ? 0 : real > whole ? -1 : 1
  }
}
