public import CSQLite
public import LarderSQLite
import LarderSupport

/// The integers: INTEGER, a 64-bit signed number in the store.
///
/// A stored number that a narrower type cannot hold is a problem of the row. A `UInt64` above `Int64.max` cannot be
/// stored, and a save rejects it.
public protocol _IntegerColumnValue: _ColumnValue, FixedWidthInteger {}

extension _IntegerColumnValue {
  public static var _columnType: _ColumnType { .integer }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Self { 0 }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let value = sqlite3_column_int64(statement, column)
    if let exact = Self(exactly: value) {
      self = exact
    } else {
      row.problems.report("a stored \(value) does not fit into \(Self.self)")
      self = 0
    }
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    if let value = Int64(exactly: self) {
      statement.bind(index, value)
    } else {
      binder.reportUnstorable(overflowReason, at: index)
    }
  }

  @usableFromInline var overflowReason: String {
    "\(self) is above the largest number that can be stored, \(Int64.max)"
  }

  public init?(_stored stored: _StoredValue) {
    guard case .integer(let value) = stored, let exact = Self(exactly: value) else { return nil }
    self = exact
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue {
    guard let value = Int64(exactly: self) else { throw _UnstorableValue(overflowReason) }
    return .integer(value)
  }

  @inlinable public func _isSame(as other: Self) -> Bool { self == other }
}

extension Int: _IntegerColumnValue {}
extension Int8: _IntegerColumnValue {}
extension Int16: _IntegerColumnValue {}
extension Int32: _IntegerColumnValue {}
extension Int64: _IntegerColumnValue {}
extension UInt: _IntegerColumnValue {}
extension UInt8: _IntegerColumnValue {}
extension UInt16: _IntegerColumnValue {}
extension UInt32: _IntegerColumnValue {}
extension UInt64: _IntegerColumnValue {}

/// Bool: INTEGER, 0 or 1.
extension Bool: _ColumnValue {
  public static var _columnType: _ColumnType { .integer }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Bool { false }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let value = sqlite3_column_int64(statement, column)
    if value & ~1 != 0 { row.problems.report("a stored \(value) is neither 0 nor 1, which a Bool is") }
    self = value != 0
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    statement.bind(index, self ? 1 as Int64 : 0)
  }

  public init?(_stored stored: _StoredValue) {
    guard case .integer(let value) = stored, value & ~1 == 0 else { return nil }
    self = value != 0
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue { .integer(self ? 1 : 0) }
  @inlinable public func _isSame(as other: Bool) -> Bool { self == other }
}
