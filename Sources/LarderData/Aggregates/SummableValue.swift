public import Foundation

/// A number that can be added up in the store: the integers, `Double`, `Float` and `Decimal`.
///
/// Sums are exact on the way, whatever the order of the rows; only the result is rounded, or has to fit:
///
/// | type | its sum | its average |
/// |---|---|---|
/// | `Int`, and integers that are narrower | `Int` | `Double` |
/// | `Int64`, `UInt`, `UInt64` | the same type | `Double` |
/// | `Double`, `Float` | the same type: the number that is nearest to the exact sum | the same type |
/// | `Decimal` | `Decimal`, exact | `Decimal`, rounded to its 38 digits |
///
/// Optionals of these, of which nil is passed over, are no different. The set is closed.
public protocol SummableValue: _ColumnValue {
  /// What values of this type add up to.
  associatedtype Sum
  /// What their average is.
  associatedtype Average

  static var _total: _TotalKind { get }
  /// The sum; nil where the type has no such number.
  static func _sum(_ total: _StoredValue) -> Sum?
  static func _average(_ total: _StoredValue, count: Int) -> Average?
}

/// How values are added up.
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

  /// Nil where a Decimal has too few digits, or where a stored text is no number.
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
