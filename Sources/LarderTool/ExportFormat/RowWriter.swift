import Foundation
import LarderSQLite
import LarderSupport

/// A row as a line of JSON: an array of its values, lossless.
///
/// A point or an exponent distinguishes reals from integers. Values without a JSON number, blobs, and texts that are no UTF-8
/// are objects with one key: `{"real":"inf"}` or `"-inf"`, `{"blob":"…"}` and `{"text":"…"}`, the last two in Base64.
struct RowWriter {
  private(set) var bytes: [UInt8] = []

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

  mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the current row of a statement.
  mutating func append(rowOf statement: Statement, columns: Int32) {
    append("[")
    for column in 0..<columns {
      if column > 0 { append(",") }
      switch statement.type(column) {
      case .null: append("null")
      case .integer: bytes.append(contentsOf: String(statement.int64(column)).utf8)
      case .real: append(real: statement.double(column))
      case .text: statement.withBytes(column) { append(text: $0) }
      case .blob: statement.withBytes(column) { append("{\"blob\":\"", $0) }
      }
    }
    append("]")
  }

  private mutating func append(real value: Double) {
    // The shortest form that parses to the same value, with a point or an exponent.
    if value.isFinite { return bytes.append(contentsOf: String(value).utf8) }
    append(value > 0 ? "{\"real\":\"inf\"}" : "{\"real\":\"-inf\"}")
  }

  private mutating func append(text: UnsafeRawBufferPointer) {
    guard String(validating: text.bindMemory(to: UInt8.self), as: UTF8.self) != nil else {
      return append("{\"text\":\"", text)
    }
    append(quoting: text)
  }

  private mutating func append(_ opening: StaticString, _ raw: UnsafeRawBufferPointer) {
    append(opening)
    bytes.append(contentsOf: Data(raw).base64EncodedString().utf8)
    append("\"}")
  }

  /// Appends a JSON string.
  mutating func append(quoting text: UnsafeRawBufferPointer) { bytes.append(quoting: text) }

  mutating func append(quoting text: String) { bytes.append(quoting: text) }
}
