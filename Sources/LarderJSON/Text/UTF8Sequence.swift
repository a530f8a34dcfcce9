/// One character of UTF-8 beyond ASCII (RFC 3629): no overlong form, no surrogate, nothing past U+10FFFF.
enum UTF8Sequence {
  enum Outcome: Equatable {
    /// The character is valid, and has this length in bytes.
    case length(Int)
    /// The bytes end within the character, which may be valid.
    case incomplete
    case invalid
  }

  /// Returns whether a character beyond ASCII can begin with a byte.
  static func isLeadByte(_ byte: UInt8) -> Bool { 0xC2...0xF4 ~= byte }

  /// Validates the character at a pointer.
  ///
  /// - Parameter pointer: The address of a byte of 0x80 or more.
  static func validate(_ pointer: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Outcome {
    let first = pointer[0]
    let count: Int
    // The range of the second byte excludes overlong forms and surrogates.
    var least: UInt8 = 0x80
    var greatest: UInt8 = 0xBF
    switch first {
    case 0xC2...0xDF: count = 2
    case 0xE0: (count, least) = (3, 0xA0)
    case 0xED: (count, greatest) = (3, 0x9F)
    case 0xE1...0xEF: count = 3
    case 0xF0: (count, least) = (4, 0x90)
    case 0xF4: (count, greatest) = (4, 0x8F)
    case 0xF1...0xF3: count = 4
    default: return .invalid
    }
    let available = end - pointer
    if available < 2 { return .incomplete }
    if pointer[1] < least || pointer[1] > greatest { return .invalid }
    for index in 2..<max(count, 2) {
      if index >= available { return .incomplete }
      if pointer[index] & 0xC0 != 0x80 { return .invalid }
    }
    return .length(count)
  }
}
