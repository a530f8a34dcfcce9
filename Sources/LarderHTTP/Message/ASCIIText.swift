/// What the grammar of HTTP says of single bytes (RFC 9110, section 5.6), without Unicode's idea of case.
enum ASCIIText {
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(lowercased), as: UTF8.self)
  }

  /// Whether two texts are equal apart from the case of ASCII letters.
  static func equal(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // ! # $ % & ' * + - . ^ _ ` | ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// A text without the blanks and tabs around it.
  static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.utf8.first, isWhitespace(first) { text = Substring(text.utf8.dropFirst()) }
    while let last = text.utf8.last, isWhitespace(last) { text = Substring(text.utf8.dropLast()) }
    return text
  }

  /// A number of at most eighteen digits, zeros before them, and nothing else; nil otherwise.
  static func number(_ text: some StringProtocol) -> Int64? {
    let bytes = text.utf8.drop { $0 == 0x30 }
    guard !text.utf8.isEmpty, bytes.count <= 18, bytes.allSatisfy(isDigit) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}
