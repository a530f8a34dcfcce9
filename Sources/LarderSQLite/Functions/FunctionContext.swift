internal import CLarderSQLite
internal import CSQLite

/// One call of an SQL function that is written in Swift: its arguments and its result.
///
/// A function that sets no result returns NULL. The context is valid only during the call, and therefore cannot be
/// copied.
public struct FunctionContext: ~Copyable {
  @usableFromInline let context: OpaquePointer?
  @usableFromInline let arguments: UnsafeMutablePointer<OpaquePointer?>?

  /// The number of arguments. Reading an argument that does not exist gives NULL.
  public let count: Int

  init(context: OpaquePointer?, count: Int32, arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.arguments = arguments
    self.count = Int(count)
  }

  @usableFromInline
  func value(_ index: Int) -> OpaquePointer? {
    index >= 0 && index < count ? arguments?[index] : nil
  }

  /// Returns the type of an argument.
  public func type(_ index: Int) -> ValueType {
    guard let value = value(index) else { return .null }
    return ValueType(rawValue: sqlite3_value_type(value)) ?? .null
  }

  /// Returns whether an argument is NULL.
  public func isNull(_ index: Int) -> Bool { type(index) == .null }

  /// Returns an argument as an integer; 0 for NULL.
  public func int64(_ index: Int) -> Int64 { value(index).map { sqlite3_value_int64($0) } ?? 0 }

  /// Returns an argument as a floating-point number; 0 for NULL.
  public func double(_ index: Int) -> Double { value(index).map { sqlite3_value_double($0) } ?? 0 }

  /// Returns an argument as a string; empty for NULL.
  public func string(_ index: Int) -> String {
    guard let value = value(index) else { return "" }
    let text = sqlite3_value_text(value)
    let length = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : length), as: UTF8.self)
  }

  /// Calls the closure with the bytes of a text or blob, which are valid only inside it.
  public func withBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    guard let value = value(index) else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let bytes = sqlite3_value_blob(value)
    let length = Int(sqlite3_value_bytes(value))
    return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
  }

  /// Sets an integer as the result.
  public func result(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// Sets 1 or 0 as the result.
  public func result(_ value: Bool) { sqlite3_result_int64(context, value ? 1 : 0) }

  /// Sets a number as the result; NaN becomes NULL, as SQLite has no NaN.
  public func result(_ value: Double) { sqlite3_result_double(context, value) }

  /// Sets a text as the result.
  public func result(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        if let base = text.baseAddress {
          larder_result_text_copy(context, base, UInt64(text.count))
        } else {
          larder_result_text_copy(context, "", 0)
        }
      }
    }
  }

  /// Sets a blob as the result.
  public func result(_ value: [UInt8]) {
    value.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        larder_result_blob_copy(context, base, UInt64(bytes.count))
      } else {
        sqlite3_result_zeroblob(context, 0)
      }
    }
  }

  /// Sets NULL as the result.
  public func resultNull() { sqlite3_result_null(context) }

  /// Makes the statement fail with this message. Include no values in it: errors may be logged.
  public func fail(_ message: String) { sqlite3_result_error(context, message, -1) }
}
