public import Foundation
public import LarderSQLite

/// The type of a column.
public enum _ColumnType: String, Codable, Sendable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
}

/// A type that fits into one column: the standard scalars and optionals of them.
///
/// The set is closed: `String`, `Bool`, the integers, `Double`, `Float`, `Date`, `Data`, `UUID`, `URL`, `Decimal`,
/// and their optionals. Other types are stored through a ``_PropertyCodec``.
public protocol _ColumnValue {
  static var _columnType: _ColumnType { get }
  static var _isOptional: Bool { get }
  /// A valid value for storage that was not read yet.
  static var _zero: Self { get }

  /// Reads column `column` of the statement's current row; reports a value that is not of this type to `row`.
  init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader)
  /// Binds the value; reports a value that cannot be stored to `binder`.
  func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder)

  /// Creates the value from its stored form; nil where the stored form is not of this type.
  init?(_stored stored: _StoredValue)
  /// Returns the stored form, or throws the reason why there is none.
  func _stored() throws(_UnstorableValue) -> _StoredValue
  /// Returns whether both have the same stored form.
  func _isSame(as other: Self) -> Bool
}

/// The reason why a value cannot be stored.
public struct _UnstorableValue: Error, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}

extension _UnstorableValue: CustomStringConvertible, LocalizedError {
  public var errorDescription: String? { description }
  public var description: String { "The value cannot be stored: \(reason)." }
}
