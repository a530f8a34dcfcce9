extension [UInt8] {
  /// Appends a text as a JSON string: quotes, backslashes and control characters are escaped, and all other bytes stay
  /// unchanged.
  ///
  /// - Parameter text: The text, in UTF-8.
  package mutating func append(quoting text: UnsafeRawBufferPointer) {
    let quote = UInt8(ascii: "\"")
    let backslash = UInt8(ascii: "\\")
    append(quote)
    var start = 0
    for (place, byte) in text.enumerated() where byte < 0x20 || byte == quote || byte == backslash {
      append(contentsOf: text[start..<place])
      start = place + 1
      if byte >= 0x20 {
        append(backslash)
        append(byte)
      } else {
        let digits = Array("0123456789abcdef".utf8)
        append(contentsOf: "\\u00".utf8)
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
      }
    }
    append(contentsOf: text[start...])
    append(quote)
  }

  /// Appends a string as a JSON string.
  package mutating func append(quoting text: String) {
    var text = text
    text.withUTF8 { append(quoting: UnsafeRawBufferPointer($0)) }
  }
}
