internal import Foundation

/// A check for valid JSON (RFC 8259) that finds the first error. Foundation accepts a trailing comma, and so reports none.
///
/// Used only for bodies that could not be decoded.
struct JSONValidator {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// The open objects and arrays, true for an object.
  private var objectStack: [Bool] = []

  /// Returns the position of the first error, or nil for valid JSON.
  static func errorPosition(in data: Data) -> TextPosition? {
    let offset = data.withUnsafeBytes { bytes in
      var text = JSONValidator(bytes: bytes.bindMemory(to: UInt8.self))
      return text.parseDocument() ? nil : text.position
    }
    return offset.map { offset in
      let before = data.prefix(offset)
      let lineStart = before.lastIndex(of: 0x0A).map { $0 - data.startIndex + 1 } ?? 0
      return TextPosition(line: before.count { $0 == 0x0A } + 1, column: offset - lineStart + 1)
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  /// Parses the whole text, with an explicit stack: the sender chooses how deep values are nested.
  private mutating func parseDocument() -> Bool {
    // A byte order mark, which parsers may ignore (section 8.1).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    guard parseValue() else { return false }
    while let isObject = objectStack.last {
      skipWhitespace()
      if consume(isObject ? 0x7D : 0x5D) {
        self.objectStack.removeLast()
        continue
      }
      guard consume(0x2C) else { return false }
      guard isObject ? parseMember() : parseValue() else { return false }
    }
    skipWhitespace()
    return position == bytes.count
  }

  /// Parses the beginning of a value, which is all of it except for a non-empty object or array.
  private mutating func parseValue() -> Bool {
    while true {
      skipWhitespace()
      switch peek {
      case 0x7B:
        position += 1
        skipWhitespace()
        if consume(0x7D) { return true }
        objectStack.append(true)
        guard parseKey() else { return false }
      case 0x5B:
        position += 1
        skipWhitespace()
        if consume(0x5D) { return true }
        objectStack.append(false)
      case 0x22: return parseString()
      case 0x74: return parseLiteral("true")
      case 0x66: return parseLiteral("false")
      case 0x6E: return parseLiteral("null")
      default: return parseNumber()
      }
    }
  }

  private mutating func parseMember() -> Bool { parseKey() && parseValue() }

  private mutating func parseKey() -> Bool {
    skipWhitespace()
    guard peek == 0x22, parseString() else { return false }
    skipWhitespace()
    return consume(0x3A)
  }

  private mutating func parseLiteral(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      for byte in text where !consume(byte) { return false }
      return true
    }
  }

  private mutating func parseNumber() -> Bool {
    _ = consume(0x2D)
    if !consume(0x30), !parseDigits() { return false }
    if consume(0x2E), !parseDigits() { return false }
    if consume(0x65) || consume(0x45) {
      if !consume(0x2B) { _ = consume(0x2D) }
      return parseDigits()
    }
    return true
  }

  private mutating func parseDigits() -> Bool {
    let start = position
    while let byte = peek, ASCIIText.isDigit(byte) { position += 1 }
    return position > start
  }

  private mutating func parseString() -> Bool {
    position += 1
    let start = position
    while let byte = peek {
      switch byte {
      case 0x22:
        // The bytes of a string must be valid UTF-8.
        let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
        guard text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil else {
          position = start
          return false
        }
        position += 1
        return true
      case 0x5C:
        position += 1
        guard let escaped = peek else { return false }
        if escaped == 0x75 {
          for offset in 1...4
          where position + offset >= bytes.count || !ASCIIText.isHexadecimal(bytes[position + offset]) {
            return false
          }
          position += 5
        } else {
          guard #""\/bfnrt"#.utf8.contains(escaped) else { return false }
          position += 1
        }
      case 0..<0x20: return false
      default: position += 1
      }
    }
    return false
  }
}
