public import Foundation

/// A value whose minimum and maximum are the same in the store as in Swift: the integers, `Double`, `Float`, `Date`,
/// `Decimal`, `String` (by its UTF-8 bytes, as in predicates), `UUID`, and optionals of these.
///
/// The set is closed: other types cannot conform.
public protocol OrderedValue: _ColumnValue {
  /// The type without its optionality.
  associatedtype Present
  var _present: Present? { get }
}

extension _IntegerColumnValue {
  public var _present: Self? { self }
}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}

extension Double: OrderedValue {
  public var _present: Double? { self }
}
extension Float: OrderedValue {
  public var _present: Float? { self }
}
extension Date: OrderedValue {
  public var _present: Date? { self }
}
extension Decimal: OrderedValue {
  public var _present: Decimal? { self }
}
extension String: OrderedValue {
  public var _present: String? { self }
}
extension UUID: OrderedValue {
  public var _present: UUID? { self }
}

extension Optional: OrderedValue where Wrapped: OrderedValue {
  public var _present: Wrapped.Present? { flatMap(\._present) }
}
