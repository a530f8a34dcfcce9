public import CSQLite
import LarderSupport

/// Reads one row's columns, in the order that a model's layout gives them.
///
/// What `@Model` generates reads through this and knows nothing of SQLite. On the fast path it is a pointer to a
/// statement; any other source of values (a rollback, a snapshot, another store) is a ``_RowSource``.
public struct _RowReader: ~Copyable {
  @usableFromInline let statement: OpaquePointer?
  @usableFromInline let source: _RowSource?
  /// Told of values that cannot be read, so that the fetch throws instead of handing out a wrong object.
  @usableFromInline unowned(unsafe) let problems: _RowProblems
  /// Holds them where nobody else does.
  private let ownedProblems: _RowProblems?
  /// Not counted: layouts are static, or kept with the classes of a file's rows.
  @usableFromInline unowned(unsafe) let layout: _ModelLayout

  /// Reads the row that a statement is at, which whoever makes a reader holds, as he does the layout and the problems: one
  /// is made for each fetch.
  @usableFromInline
  package init(statement: OpaquePointer, layout: _ModelLayout, problems: _RowProblems) {
    self.statement = statement
    self.source = nil
    self.layout = layout
    self.problems = problems
    ownedProblems = nil
  }

  /// Reads other values. The layout is held by whoever makes a reader.
  package init(source: _RowSource, layout: _ModelLayout, problems: _RowProblems) {
    self.statement = nil
    self.source = source
    self.layout = layout
    self.problems = problems
    ownedProblems = problems
  }

  /// The value of a column whose place the macro knows.
  @inlinable
  public func read<Value: _ColumnValue>(_ column: Int, as type: Value.Type = Value.self) -> Value {
    if let statement { return Value(_column: Int32(truncatingIfNeeded: column), of: statement, self) }
    return readFromSource(type)
  }

  /// A row's identifier in another row; 0 for NULL.
  @inlinable
  func readForeignKey(_ column: Int) -> Int64 {
    if let statement { return sqlite3_column_int64(statement, Int32(truncatingIfNeeded: column)) }
    if case .integer(let row)? = source?.next() { return row }
    return 0
  }

  @usableFromInline
  func readFromSource<Value: _ColumnValue>(_ type: Value.Type) -> Value {
    let value = source?.next() ?? .null
    guard let result = Value(_stored: value) else {
      problems.report("a stored \(value) is no \(Value.self)")
      return Value._zero
    }
    return result
  }

  /// The stored form of a column, for codecs that decide by what they find.
  public func storedValue(_ column: Int) -> _StoredValue {
    guard let statement else { return source?.next() ?? .null }
    return _StoredValue(column: Int32(truncatingIfNeeded: column), of: statement)
  }
}

/// A row's values in the order in which they will be asked for.
public final class _RowSource {
  private var values: ArraySlice<_StoredValue>

  package init(_ values: ArraySlice<_StoredValue>) { self.values = values }
  package convenience init(_ values: [_StoredValue]) { self.init(values[...]) }

  @usableFromInline
  func next() -> _StoredValue { values.popFirst() ?? .null }
}

/// What could not be read of a row; the first problem is the one that is told.
public final class _RowProblems {
  @usableFromInline package private(set) var first: String?

  package init() {}

  public func report(_ problem: String) { if first == nil { first = problem } }
  package func clear() { first = nil }
}

extension _StoredValue {
  package init(column: Int32, of statement: OpaquePointer) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }
}
