/// The grammar of HTTP for single bytes (RFC 9110, section 5.6), without Unicode's rules of case.
enum ASCIIText {
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map(lowercased), as: UTF8.self)
  }

  /// Returns whether two texts are equal apart from the case of ASCII letters.
  static func equal(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Returns the same for two strings, byte by byte: each request calls it for some dozen names.
  static func equal(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    guard left.count == right.count else { return false }
    let isEqual = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        for place in 0..<left.count where lowercased(left[place]) != lowercased(right[place]) { return false }
        return true
      }
    }
    if let isEqual, let isEqual { return isEqual }
    return zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Returns whether a byte is allowed in a token: letters, digits, and ``! # $ % & ' * + - . ^ _ ` | ~``. Uses one bit for each
  /// byte, since every byte of every name is tested.
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : byte < 128 ? 0x57FF_FFFF_C7FF_FFFE : 0
    return bits >> UInt64(byte & 63) & 1 != 0
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lowercased(byte))
  }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns a text without the spaces and tabs around it.
  static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.utf8.first, isWhitespace(first) { text = Substring(text.utf8.dropFirst()) }
    while let last = text.utf8.last, isWhitespace(last) { text = Substring(text.utf8.dropLast()) }
    return text
  }

  /// Returns a number of at most eighteen digits after leading zeros; nil for any other text.
  static func number(_ text: some StringProtocol) -> Int64? {
    var text = String(text)
    return text.withUTF8 { number(UnsafeRawBufferPointer($0)[...]) }
  }
}

extension ASCIIText {
  /// Returns bytes without the spaces and tabs around them.
  static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var bytes = bytes
    while let first = bytes.first, isWhitespace(first) { bytes = bytes.dropFirst() }
    while let last = bytes.last, isWhitespace(last) { bytes = bytes.dropLast() }
    return bytes
  }

  /// Returns whether bytes equal a lowercase text, apart from the case of ASCII letters.
  static func equal(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return zip(bytes, UnsafeBufferPointer(start: text.utf8Start, count: bytes.count)).allSatisfy {
      lowercased($0) == $1
    }
  }

  /// Returns a number of at most eighteen digits after leading zeros; nil for any other text.
  static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int64? {
    let digits = bytes.drop { $0 == 0x30 }
    guard !bytes.isEmpty, digits.count <= 18, digits.allSatisfy(isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}
