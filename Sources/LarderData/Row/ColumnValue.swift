public import Foundation
public import LarderSQLite

/// The column type that a value is stored in.
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
  /// A valid value for storage that nothing has been read into yet.
  static var _zero: Self { get }

  /// Reads column `column` of the statement's current row; what cannot be this type is reported to `row`.
  init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader)
  /// Binds the value; what cannot be stored is reported to `binder`.
  func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder)

  /// The same two steps through the stored form.
  init?(_stored stored: _StoredValue)
  /// The stored form, or a reason why there is none.
  func _stored() throws(_UnstorableValue) -> _StoredValue
  /// Whether both have the same stored form.
  func _isSame(as other: Self) -> Bool
}

/// Why a value cannot be stored.
public struct _UnstorableValue: Error, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}

extension _UnstorableValue: CustomStringConvertible, LocalizedError {
  public var errorDescription: String? { description }
  public var description: String { "The value cannot be stored: \(reason)." }
}
