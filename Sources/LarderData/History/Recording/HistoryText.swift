import Foundation
import LarderSupport

/// JSON under way, put together without an encoder: a save of many rows would spend more time in one than in writing.
struct HistoryText {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func add(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// As JSON's string.
  mutating func add(quoting text: String) { bytes.append(quoting: text) }

  /// A stored value: null, or an object whose one key is its type. Numbers are text, as JSON's are whatever a reader makes
  /// of them.
  mutating func add(_ value: StoredValue) {
    switch value {
    case .null: add("null")
    case .integer(let number): add("integer", "\(number)")
    case .real(let number): add("real", "\(number)")
    case .text(let text): add("text", text)
    case .blob(let bytes): add("blob", Data(bytes).base64EncodedString())
    }
  }

  private mutating func add(_ type: StaticString, _ text: String) {
    add("{\"")
    add(type)
    add("\":")
    add(quoting: text)
    add("}")
  }
}
