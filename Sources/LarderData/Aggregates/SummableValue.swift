public import Foundation

/// A number that the store can sum: the integers, `Double`, `Float` and `Decimal`.
///
/// Intermediate sums are exact, whatever the order of the rows. Only the result is rounded, or must fit its type:
///
/// | type | its sum | its average |
/// |---|---|---|
/// | `Int`, and narrower integers | `Int` | `Double` |
/// | `Int64`, `UInt`, `UInt64` | the same type | `Double` |
/// | `Double`, `Float` | the same type: the number nearest to the exact sum | the same type |
/// | `Decimal` | `Decimal`, exact | `Decimal`, rounded to its 38 digits |
///
/// Optionals of these behave the same; nil is skipped. The set is closed: other types cannot conform.
public protocol SummableValue: _ColumnValue {
  /// The type of a sum.
  associatedtype Sum
  /// The type of an average.
  associatedtype Average

  static var _total: _TotalKind { get }
  /// Returns the sum; nil where the type cannot represent the number.
  static func _sum(_ total: _StoredValue) -> Sum?
  static func _average(_ total: _StoredValue, count: Int) -> Average?
}

/// The arithmetic of a sum.
public enum _TotalKind: Sendable {
  case integer, real, decimal
}

extension _IntegerColumnValue {
  public static var _total: _TotalKind { .integer }

  public static func _average(_ mean: _StoredValue, count: Int) -> Double? {
    if case .real(let mean) = mean { mean } else { nil }
  }

  fileprivate static func sum<Wide: FixedWidthInteger>(_ total: _StoredValue) -> Wide? {
    if case .integer(let total) = total { Wide(exactly: total) } else { nil }
  }
}

extension Int8: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension Int16: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension Int32: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension UInt8: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension UInt16: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension UInt32: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension Int: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int? { sum(total) }
}
extension Int64: SummableValue {
  public static func _sum(_ total: _StoredValue) -> Int64? { sum(total) }
}
extension UInt: SummableValue {
  public static func _sum(_ total: _StoredValue) -> UInt? { sum(total) }
}
extension UInt64: SummableValue {
  public static func _sum(_ total: _StoredValue) -> UInt64? { sum(total) }
}

extension Double: SummableValue {
  public static var _total: _TotalKind { .real }

  public static func _sum(_ total: _StoredValue) -> Double? {
    switch total {
    case .real(let total): total
    // Infinities of both signs: SQLite has no NaN.
    case .null: .nan
    default: nil
    }
  }

  public static func _average(_ total: _StoredValue, count: Int) -> Double? {
    _sum(total).map { $0 / Double(count) }
  }
}

extension Float: SummableValue {
  public static var _total: _TotalKind { .real }
  public static func _sum(_ total: _StoredValue) -> Float? { Double._sum(total).map { Float($0) } }
  public static func _average(_ total: _StoredValue, count: Int) -> Float? {
    Double._average(total, count: count).map { Float($0) }
  }
}

extension Decimal: SummableValue {
  public static var _total: _TotalKind { .decimal }

  /// Returns nil where a Decimal has too few digits, or where a stored text is not a number.
  public static func _sum(_ total: _StoredValue) -> Decimal? {
    if case .text(let total) = total { DecimalText.parse(total) } else { nil }
  }

  public static func _average(_ total: _StoredValue, count: Int) -> Decimal? {
    if case .text(let total) = total { DecimalAverage.of(total, count: count) } else { nil }
  }
}

extension Optional: SummableValue where Wrapped: SummableValue {
  public static var _total: _TotalKind { Wrapped._total }
  public static func _sum(_ total: _StoredValue) -> Wrapped.Sum? { Wrapped._sum(total) }
  public static func _average(_ total: _StoredValue, count: Int) -> Wrapped.Average? {
    Wrapped._average(total, count: count)
  }
}
