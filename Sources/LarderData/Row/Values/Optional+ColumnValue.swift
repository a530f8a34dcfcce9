public import CSQLite
public import LarderSQLite

/// An optional scalar: the scalar's column without NOT NULL.
extension Optional: _ColumnValue where Wrapped: _ColumnValue {
  public static var _columnType: _ColumnType { Wrapped._columnType }
  public static var _isOptional: Bool { true }
  @inlinable public static var _zero: Wrapped? { nil }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    self =
      sqlite3_column_type(statement, column) == SQLITE_NULL
      ? nil : Wrapped(_column: column, of: statement, row)
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    if let self { self._bind(statement, index, &binder) } else { statement.bindNull(index) }
  }

  public init?(_stored stored: _StoredValue) {
    if stored == .null {
      self = .none
    } else if let value = Wrapped(_stored: stored) {
      self = .some(value)
    } else {
      return nil
    }
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue {
    guard let self else { return .null }
    return try self._stored()
  }

  @inlinable
  public func _isSame(as other: Wrapped?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): left._isSame(as: right)
    default: false
    }
  }
}
