import Foundation
import LarderSupport

/// A writer of JSON text without an encoder: a save of many rows would spend more time in an encoder than in writing rows.
struct HistoryJSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// Appends a JSON string.
  mutating func append(quoting text: String) { bytes.append(quoting: text) }

  /// Appends a stored value: null, or an object whose only key is the value's type. Numbers are strings, because JSON readers
  /// differ in their number types.
  mutating func append(_ value: _StoredValue) {
    switch value {
    case .null: append("null")
    case .integer(let number): appendTyped("integer", "\(number)")
    case .real(let number): appendTyped("real", "\(number)")
    case .text(let text): appendTyped("text", text)
    case .blob(let bytes): appendTyped("blob", Data(bytes).base64EncodedString())
    }
  }

  private mutating func appendTyped(_ type: StaticString, _ text: String) {
    append("{\"")
    append(type)
    append("\":")
    append(quoting: text)
    append("}")
  }
}
