public import CSQLite
public import LarderSQLite
import LarderSupport

/// The integers: INTEGER, a 64-bit signed number in the store.
///
/// A stored number that a narrower type cannot hold is a problem of the row; `UInt64` above `Int64.max` cannot be
/// stored and is refused at save.
public protocol IntegerColumnValue: ColumnValue, FixedWidthInteger {}

extension IntegerColumnValue {
  public static var _columnType: ColumnType { .integer }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Self { 0 }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing RowReader) {
    let value = sqlite3_column_int64(statement, column)
    if let exact = Self(exactly: value) {
      self = exact
    } else {
      row.problems.report("a stored \(value) does not fit into \(Self.self)")
      self = 0
    }
  }

  @inlinable
  public func _bind(_ statement: UncountedStatement, _ index: Int32, _ binder: inout RowBinder) {
    if let value = Int64(exactly: self) {
      statement.bind(index, value)
    } else {
      binder.fail(tooLarge, at: index)
    }
  }

  @usableFromInline var tooLarge: String { "\(self) is above the largest number that can be stored, \(Int64.max)" }

  public init?(_stored stored: StoredValue) {
    guard case .integer(let value) = stored, let exact = Self(exactly: value) else { return nil }
    self = exact
  }

  public func _stored() throws(UnstorableValue) -> StoredValue {
    guard let value = Int64(exactly: self) else { throw UnstorableValue(tooLarge) }
    return .integer(value)
  }

  @inlinable public func _isSame(as other: Self) -> Bool { self == other }
}

extension Int: IntegerColumnValue {}
extension Int8: IntegerColumnValue {}
extension Int16: IntegerColumnValue {}
extension Int32: IntegerColumnValue {}
extension Int64: IntegerColumnValue {}
extension UInt: IntegerColumnValue {}
extension UInt8: IntegerColumnValue {}
extension UInt16: IntegerColumnValue {}
extension UInt32: IntegerColumnValue {}
extension UInt64: IntegerColumnValue {}

/// Bool: INTEGER, 0 or 1.
extension Bool: ColumnValue {
  public static var _columnType: ColumnType { .integer }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Bool { false }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing RowReader) {
    let value = sqlite3_column_int64(statement, column)
    if value & ~1 != 0 { row.problems.report("a stored \(value) is neither 0 nor 1, which a Bool is") }
    self = value != 0
  }

  @inlinable
  public func _bind(_ statement: UncountedStatement, _ index: Int32, _ binder: inout RowBinder) {
    statement.bind(index, self ? 1 as Int64 : 0)
  }

  public init?(_stored stored: StoredValue) {
    guard case .integer(let value) = stored, value & ~1 == 0 else { return nil }
    self = value != 0
  }

  public func _stored() throws(UnstorableValue) -> StoredValue { .integer(self ? 1 : 0) }
  @inlinable public func _isSame(as other: Bool) -> Bool { self == other }
}
