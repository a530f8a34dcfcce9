public import CSQLite
public import Foundation
public import LarderSQLite

/// Double: REAL. A NaN cannot be stored (SQLite would turn it into NULL) and a save rejects it; −0 becomes 0.
extension Double: _ColumnValue {
  public static var _columnType: _ColumnType { .real }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Double { 0 }
  @usableFromInline static let nanReason = "it is NaN, which a store cannot hold"

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    self = sqlite3_column_double(statement, column)
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    if self == self {
      statement.bind(index, self)
    } else {
      binder.reportUnstorable(Double.nanReason, at: index)
    }
  }

  public init?(_stored stored: _StoredValue) {
    switch stored {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    default: return nil
    }
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue {
    guard !isNaN else { throw _UnstorableValue(Double.nanReason) }
    return .real(self)
  }

  @inlinable public func _isSame(as other: Double) -> Bool { self == other }
}

/// Float: REAL, widened exactly.
extension Float: _ColumnValue {
  public static var _columnType: _ColumnType { .real }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Float { 0 }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let value = sqlite3_column_double(statement, column)
    self = Float(value)
    if isInfinite && value.isFinite { row.problems.report("a stored \(value) does not fit into Float") }
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    Double(self)._bind(statement, index, &binder)
  }

  public init?(_stored stored: _StoredValue) {
    guard let value = Double(_stored: stored) else { return nil }
    self = Float(value)
    if isInfinite && value.isFinite { return nil }
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue { try Double(self)._stored() }
  @inlinable public func _isSame(as other: Float) -> Bool { self == other }
}

/// Date: REAL, seconds since 2001-01-01 00:00 UTC, the same as a Date's own storage: no bit is lost.
extension Date: _ColumnValue {
  public static var _columnType: _ColumnType { .real }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    self = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, column))
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    timeIntervalSinceReferenceDate._bind(statement, index, &binder)
  }

  public init?(_stored stored: _StoredValue) {
    guard let value = Double(_stored: stored) else { return nil }
    self = Date(timeIntervalSinceReferenceDate: value)
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue { try timeIntervalSinceReferenceDate._stored() }

  @inlinable
  public func _isSame(as other: Date) -> Bool {
    timeIntervalSinceReferenceDate == other.timeIntervalSinceReferenceDate
  }
}
