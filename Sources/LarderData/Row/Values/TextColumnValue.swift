public import CSQLite
public import Foundation
public import LarderSQLite

/// String: TEXT, its bytes unchanged, NUL included.
extension String: _ColumnValue {
  public static var _columnType: _ColumnType { .text }
  public static var _isOptional: Bool { false }
  @inlinable public static var _zero: String { "" }

  @inlinable
  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let bytes = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  @inlinable
  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    statement.bind(index, self)
  }

  public init?(_stored stored: _StoredValue) {
    guard case .text(let value) = stored else { return nil }
    self = value
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue { .text(self) }
  @inlinable public func _isSame(as other: String) -> Bool { haveSameBytes(self, other) }
}

/// A type that is stored as text in a fixed format.
public protocol _TextColumnValue: _ColumnValue {
  init?(_text: String)
  var _text: String { get }
  /// The reason why the value cannot be stored; nil if it can.
  var _unstorable: String? { get }
}

extension _TextColumnValue {
  public static var _columnType: _ColumnType { .text }
  public static var _isOptional: Bool { false }
  public var _unstorable: String? { nil }

  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let text = String(_column: column, of: statement, row)
    if let value = Self(_text: text) {
      self = value
    } else {
      row.problems.report("the stored text \"\(text.prefix(40))\" is no \(Self.self)")
      self = Self._zero
    }
  }

  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    if let reason = _unstorable { return binder.reportUnstorable(reason, at: index) }
    statement.bind(index, _text)
  }

  public init?(_stored stored: _StoredValue) {
    guard case .text(let text) = stored else { return nil }
    self.init(_text: text)
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue {
    if let reason = _unstorable { throw _UnstorableValue(reason) }
    return .text(_text)
  }
}

/// UUID: TEXT, upper case, the value of `uuidString`.
extension UUID: _TextColumnValue {
  public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(_text: String) { self.init(uuidString: _text) }
  public var _text: String { uuidString }
  @inlinable public func _isSame(as other: UUID) -> Bool { self == other }
}

/// URL: TEXT, its absolute string.
extension URL: _TextColumnValue {
  public static var _zero: URL { URL(filePath: "/") }
  public init?(_text: String) {
    guard _text.utf8.first == UInt8(ascii: "<") else {
      self.init(string: _text)
      return
    }
    guard let end = _text.firstIndex(of: ">"),
      let base = URL(string: String(_text[_text.index(after: _text.startIndex)..<end]))
    else { return nil }
    self.init(string: String(_text[_text.index(after: end)...]), relativeTo: base)
  }

  /// The URL as text: an absolute URL unchanged; a relative one as `<base>relative`, with characters that no URL contains.
  public var _text: String {
    guard let base = baseURL else { return absoluteString }
    return "<\(base.absoluteString)>\(relativeString)"
  }

  public func _isSame(as other: URL) -> Bool { haveSameBytes(_text, other._text) }
}

/// Decimal: TEXT in canonical form, so that equal numbers have equal texts. See `DecimalText`.
extension Decimal: _TextColumnValue {
  public static var _zero: Decimal { 0 }
  public init?(_text: String) {
    guard let value = DecimalText.parse(_text) else { return nil }
    self = value
  }
  public var _text: String { DecimalText.canonical(self) }
  public var _unstorable: String? { isNaN ? Double.nanReason : nil }
  public func _isSame(as other: Decimal) -> Bool { self == other }
}

/// Data: BLOB.
extension Data: _ColumnValue {
  public static var _columnType: _ColumnType { .blob }
  public static var _isOptional: Bool { false }
  public static var _zero: Data { Data() }

  public init(_column column: Int32, of statement: OpaquePointer, _ row: borrowing _RowReader) {
    let bytes = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self = bytes.map { Data(bytes: $0, count: count) } ?? Data()
  }

  public func _bind(_ statement: UnretainedStatement, _ index: Int32, _ binder: inout _RowBinder) {
    withUnsafeBytes { statement.bind(index, $0) }
  }

  public init?(_stored stored: _StoredValue) {
    guard case .blob(let bytes) = stored else { return nil }
    self = Data(bytes)
  }

  public func _stored() throws(_UnstorableValue) -> _StoredValue { .blob([UInt8](self)) }
  public func _isSame(as other: Data) -> Bool { self == other }
}
