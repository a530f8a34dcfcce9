internal import Foundation

/// Whether a text is JSON (RFC 8259), and where it is not. Foundation takes a comma too many, and so tells nothing of it.
///
/// Asked only of what could not be decoded.
struct JSONText {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0
  /// Of each object and array that is open, whether it is an object.
  private var isObject: [Bool] = []

  /// Where a text is no JSON; nil where all of it is.
  static func problem(in data: Data) -> TextPosition? {
    let offset = data.withUnsafeBytes { bytes in
      var text = JSONText(bytes: bytes.bindMemory(to: UInt8.self))
      return text.isWhole() ? nil : text.place
    }
    return offset.map { offset in
      let before = data.prefix(offset)
      let lineStart = before.lastIndex(of: 0x0A).map { $0 - data.startIndex + 1 } ?? 0
      return TextPosition(line: before.count { $0 == 0x0A } + 1, column: offset - lineStart + 1)
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    place += 1
    return true
  }

  /// By a stack of its own: how deep values stand in one another is the sender's choice.
  private mutating func isWhole() -> Bool {
    // A mark of the byte order, which parsers may pass over (section 8.1).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    guard isValue() else { return false }
    while let isObject = isObject.last {
      skipBlanks()
      if take(isObject ? 0x7D : 0x5D) {
        self.isObject.removeLast()
        continue
      }
      guard take(0x2C) else { return false }
      guard isObject ? isMember() : isValue() else { return false }
    }
    skipBlanks()
    return place == bytes.count
  }

  /// The beginning of a value: all of it, where it is neither an object nor an array that has something in it.
  private mutating func isValue() -> Bool {
    while true {
      skipBlanks()
      switch peek {
      case 0x7B:
        place += 1
        skipBlanks()
        if take(0x7D) { return true }
        isObject.append(true)
        guard isKey() else { return false }
      case 0x5B:
        place += 1
        skipBlanks()
        if take(0x5D) { return true }
        isObject.append(false)
      case 0x22: return isString()
      case 0x74: return isLiteral("true")
      case 0x66: return isLiteral("false")
      case 0x6E: return isLiteral("null")
      default: return isNumber()
      }
    }
  }

  private mutating func isMember() -> Bool { isKey() && isValue() }

  private mutating func isKey() -> Bool {
    skipBlanks()
    guard peek == 0x22, isString() else { return false }
    skipBlanks()
    return take(0x3A)
  }

  private mutating func isLiteral(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      for byte in text where !take(byte) { return false }
      return true
    }
  }

  private mutating func isNumber() -> Bool {
    _ = take(0x2D)
    if !take(0x30), !areDigits() { return false }
    if take(0x2E), !areDigits() { return false }
    if take(0x65) || take(0x45) {
      if !take(0x2B) { _ = take(0x2D) }
      return areDigits()
    }
    return true
  }

  private mutating func areDigits() -> Bool {
    let start = place
    while let byte = peek, ASCIIText.isDigit(byte) { place += 1 }
    return place > start
  }

  private mutating func isString() -> Bool {
    place += 1
    let start = place
    while let byte = peek {
      switch byte {
      case 0x22:
        // Its bytes are UTF-8, too.
        let text = UnsafeBufferPointer(rebasing: bytes[start..<place])
        guard text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil else {
          place = start
          return false
        }
        place += 1
        return true
      case 0x5C:
        place += 1
        guard let escaped = peek else { return false }
        if escaped == 0x75 {
          for offset in 1...4 where place + offset >= bytes.count || !ASCIIText.isHexadecimal(bytes[place + offset]) {
            return false
          }
          place += 5
        } else {
          guard #""\/bfnrt"#.utf8.contains(escaped) else { return false }
          place += 1
        }
      case 0..<0x20: return false
      default: place += 1
      }
    }
    return false
  }
}
