import Foundation
import LarderSQLite
import LarderSupport

/// A row as a line of JSON: an array of its values, lossless.
///
/// Integers and reals are told apart by the point or the exponent of the latter. What JSON has no number for, a blob, and a
/// text that is no UTF-8 are objects of one key: `{"real":"inf"}` or `"-inf"`, `{"blob":"…"}` and `{"text":"…"}`, the last two Base64.
struct RowText {
  private(set) var bytes: [UInt8] = []

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

  mutating func add(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The present row of a statement.
  mutating func add(rowOf statement: Statement, columns: Int32) {
    add("[")
    for column in 0..<columns {
      if column > 0 { add(",") }
      switch statement.type(column) {
      case .null: add("null")
      case .integer: bytes.append(contentsOf: String(statement.int64(column)).utf8)
      case .real: add(real: statement.double(column))
      case .text: statement.withBytes(column) { add(text: $0) }
      case .blob: statement.withBytes(column) { add("{\"blob\":\"", $0) }
      }
    }
    add("]")
  }

  private mutating func add(real value: Double) {
    // The shortest that reads back as the same, with a point or an exponent.
    if value.isFinite { return bytes.append(contentsOf: String(value).utf8) }
    add(value > 0 ? "{\"real\":\"inf\"}" : "{\"real\":\"-inf\"}")
  }

  private mutating func add(text: UnsafeRawBufferPointer) {
    guard String(validating: text.bindMemory(to: UInt8.self), as: UTF8.self) != nil else {
      return add("{\"text\":\"", text)
    }
    add(quoting: text)
  }

  private mutating func add(_ opening: StaticString, _ raw: UnsafeRawBufferPointer) {
    add(opening)
    bytes.append(contentsOf: Data(raw).base64EncodedString().utf8)
    add("\"}")
  }

  /// As JSON's string.
  mutating func add(quoting text: UnsafeRawBufferPointer) { bytes.append(quoting: text) }

  mutating func add(quoting text: String) { bytes.append(quoting: text) }
}
