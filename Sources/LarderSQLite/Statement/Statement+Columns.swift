public import CSQLite

// Columns of the present row. SQLite converts where the stored type is another one; a column that does not exist reads
// as NULL.
extension Statement {
  /// The number in a column; 0 for NULL.
  @inlinable
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The number in a column; 0 for NULL.
  @inlinable
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The text in a column, invalid UTF-8 repaired; empty for NULL.
  @inlinable
  public func string(_ column: Int32) -> String {
    // In this order: fetching the text may convert it, and the length is then that of the converted one.
    let text = sqlite3_column_text(handle, column)
    let length = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
  }

  @inlinable
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The stored type. Ask before reading: a conversion changes the answer.
  @inlinable
  public func type(_ column: Int32) -> ValueType {
    ValueType(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  /// The bytes of a text or blob, valid inside the closure. Empty for NULL.
  @inlinable
  public func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let bytes = sqlite3_column_blob(handle, column)
    let length = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
  }

  /// The bytes of a text or blob. Empty for NULL.
  @inlinable
  public func blob(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }
}
