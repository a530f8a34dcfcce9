// Text is processed eight bytes at a time, in a word: on the baseline of x86-64 the compiler splits the generic SIMD types into
// bytes, and a word is fast everywhere.

@usableFromInline
enum Words {
  @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
  @usableFromInline static let highs: UInt64 = 0x8080_8080_8080_8080
  static let quotes: UInt64 = 0x2222_2222_2222_2222
  static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
  static let spaces: UInt64 = 0x2020_2020_2020_2020

  /// Returns eight bytes in little-endian order.
  @inlinable
  static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
  }

  /// Marks bytes that end a run of plain characters: a quote, a backslash, a control character, a byte beyond ASCII.
  ///
  /// Each such byte has its highest bit set. Bytes after the first mark may be marked wrongly, since a subtraction borrows; so only
  /// the first counts.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let isQuote = (word ^ quotes) &- ones
    let isBackslash = (word ^ backslashes) &- ones
    let isControl = word &- spaces
    return (isQuote | isBackslash | isControl | word) & highs
  }

  /// Returns the number of bytes before the first marked one.
  @inline(__always)
  static func countBefore(_ mark: UInt64) -> Int { mark.trailingZeroBitCount &>> 3 }

  /// Returns the first `count` bytes of a word, fewer than eight.
  @inline(__always)
  static func prefix(_ word: UInt64, _ count: Int) -> UInt64 {
    word & ~(UInt64.max &<< UInt64(truncatingIfNeeded: count &<< 3))
  }

  /// Returns a word of up to eight bytes, where no more may be read.
  static func gather(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<min(count, 8) { word |= UInt64(pointer[index]) &<< UInt64(index &<< 3) }
    return word
  }
}

/// Names of characters with a meaning in JSON.
enum ASCIIByte {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let slash = UInt8(ascii: "/")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let point = UInt8(ascii: ".")
  static let minus = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  static let zero = UInt8(ascii: "0")
  static let nine = UInt8(ascii: "9")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let newline = UInt8(ascii: "\n")
  static let underscore = UInt8(ascii: "_")

  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}
