/// Base64 between bytes that are wiped. Foundation's creates text that is never wiped.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  static func encoded(_ bytes: SecretBytes) -> SecretBytes {
    bytes.withBytes { bytes in
      SecretBytes(count: (bytes.count + 2) / 3 * 4) { text in
        for group in 0..<(bytes.count + 2) / 3 {
          let part = bytes[(group * 3)..<min(group * 3 + 3, bytes.count)]
          var bits: UInt32 = 0
          for place in 0..<3 {
            bits = bits << 8 | (place < part.count ? UInt32(part[group * 3 + place]) : 0)
          }
          for place in 0..<4 {
            text[group * 4 + place] =
              place <= part.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : padding
          }
        }
      }
    }
  }

  /// Returns the bytes, or `nil` for text that is no base64. Padding is optional; blanks and line ends around the text are ignored.
  static func decoded(_ text: UnsafeRawBufferPointer) -> SecretBytes? {
    let blanks = Array(" \t\r\n".utf8)
    guard let first = text.firstIndex(where: { !blanks.contains($0) }),
      var last = text.lastIndex(where: { !blanks.contains($0) })
    else { return SecretBytes(count: 0) { _ in } }
    for _ in 0..<2 where last >= first && text[last] == padding { last -= 1 }
    let body = text[first..<(last + 1)]
    guard body.count % 4 != 1 else { return nil }
    var isValid = true
    let bytes = SecretBytes(count: body.count * 3 / 4) { bytes in
      var bits: UInt32 = 0
      var held = 0
      var index = 0
      for character in body {
        guard let digit = value(of: character) else {
          isValid = false
          return
        }
        bits = bits << 6 | digit
        held += 6
        if held >= 8 {
          held -= 8
          bytes[index] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
          index += 1
        }
      }
    }
    return isValid ? bytes : nil
  }

  /// Returns whether a byte is a digit of base64 in either alphabet, or padding. The digits of hexadecimal are among them.
  static func isDigit(_ character: UInt8) -> Bool {
    value(of: character) != nil || "-_=".utf8.contains(character)
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
