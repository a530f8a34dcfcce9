import Foundation

/// Percent-encoding by RFC 3986, section 2.
enum PercentEncoding {
  /// Returns whether a byte never needs encoding: letters, digits, `-`, `.`, `_` and `~`.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }

  /// Returns whether a byte is one of `! $ & ' ( ) * + , ; =`.
  static func isSubDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }

  /// Returns whether a byte needs no encoding in a segment of a path.
  static func isPathCharacter(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || isSubDelimiter(byte) || byte == 0x3A || byte == 0x40
  }

  /// Returns a text in UTF-8 with everything encoded that is not unreserved: valid in any part of a URL.
  static func encode(_ text: some StringProtocol) -> String {
    var result = ""
    append(text.utf8, to: &result, allowing: isUnreserved)
    return result
  }

  static func append(
    _ bytes: some Sequence<UInt8>, to result: inout String, allowing isKept: (UInt8) -> Bool
  ) {
    for byte in bytes {
      if isKept(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%"
        result.unicodeScalars.append(Unicode.Scalar(digit(byte >> 4)))
        result.unicodeScalars.append(Unicode.Scalar(digit(byte & 15)))
      }
    }
  }

  /// Returns whether a byte needs no encoding in a query or a fragment.
  static func isQueryCharacter(_ byte: UInt8) -> Bool { isPathCharacter(byte) || byte == 0x2F || byte == 0x3F }

  /// Returns a part of a URL in which invalid bytes are encoded. Encoded bytes stay as they are, so that nothing is encoded
  /// twice; a percent sign that encodes nothing is encoded itself.
  static func repaired(_ bytes: ArraySlice<UInt8>, allowing isKept: (UInt8) -> Bool) -> String {
    var result = ""
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let isEncoding =
        bytes[place] == 0x25 && place + 2 < bytes.endIndex && hexadecimalValue(bytes[place + 1]) != nil
        && hexadecimalValue(bytes[place + 2]) != nil
      let next = place + (isEncoding ? 3 : 1)
      append(bytes[place..<next], to: &result, allowing: { isEncoding || isKept($0) })
      place = next
    }
    return result
  }

  /// Returns a query of items, in order. An item without a value is its name alone; names may be repeated.
  static func query(_ items: [URLQueryItem]) -> String {
    items.map { item in item.value.map { encode(item.name) + "=" + encode($0) } ?? encode(item.name) }
      .joined(separator: "&")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

  static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
