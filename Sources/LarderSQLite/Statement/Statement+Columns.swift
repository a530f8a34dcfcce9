public import CSQLite

// Columns of the current row. SQLite converts a value whose stored type differs; a column that does not exist reads as
// NULL.
extension Statement {
  /// Returns the integer in a column; 0 for NULL.
  @inlinable
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Returns the number in a column; 0 for NULL.
  @inlinable
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the text in a column, with invalid UTF-8 repaired; empty for NULL.
  @inlinable
  public func string(_ column: Int32) -> String {
    // In this order: fetching the text may convert it, and the length is then that of the converted text.
    let text = sqlite3_column_text(handle, column)
    let length = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
  }

  /// Returns whether a column is NULL.
  @inlinable
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Returns the stored type. Call it before reading the value: a conversion changes the type.
  @inlinable
  public func type(_ column: Int32) -> ValueType {
    ValueType(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  /// Calls the closure with the bytes of a text or blob, which are valid only inside it. Empty for NULL.
  @inlinable
  public func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let bytes = sqlite3_column_blob(handle, column)
    let length = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
  }

  /// Returns the bytes of a text or blob. Empty for NULL.
  @inlinable
  public func blob(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }
}
