/// The kinds of JSON values.
public enum JSONKind: Sendable, Equatable {
  case object
  case array
  case string
  case number
  case boolean
  case null
}

extension JSONReader {
  /// Returns the kind of the next value, without reading the value.
  ///
  /// - Throws: ``JSONError`` if no value begins with the next byte.
  public mutating func peek() throws -> JSONKind {
    switch try nextByte() {
    case ASCIIByte.openBrace: return .object
    case ASCIIByte.openBracket: return .array
    case ASCIIByte.quote: return .string
    case ASCIIByte.minus, ASCIIByte.zero...ASCIIByte.nine: return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    default: throw notAValue()
    }
  }

  /// Returns whether the next value is null, and reads it in that case. Other values are not read.
  public mutating func readNull() throws -> Bool {
    guard try nextByte() == UInt8(ascii: "n") else { return false }
    _ = try consumeLiteral(UInt8(ascii: "n"))
    return true
  }

  /// Reads `true` or `false`.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/typeMismatch`` if the next value is of another kind.
  public mutating func readBool() throws -> Bool {
    let byte = try nextByte()
    guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else { throw mismatch("true or false") }
    return try consumeLiteral(byte)
  }

  /// Skips a literal that begins with the specified byte, and returns whether the literal is `true`.
  @inline(__always)
  mutating func consumeLiteral(_ byte: UInt8) throws -> Bool {
    if _fastPath(end - position >= 5) {
      let word = UInt32(littleEndian: UnsafeRawPointer(position).loadUnaligned(as: UInt32.self))
      // "null", "true", "fals" and "e"
      if word == 0x6C6C_756E {
        position += 4
        return false
      }
      if word == 0x6575_7274 {
        position += 4
        return true
      }
      if word == 0x736C_6166, position[4] == UInt8(ascii: "e") {
        position += 5
        return false
      }
    }
    return try consumeLiteralByBytes(byte)
  }

  @inline(never)
  private mutating func consumeLiteralByBytes(_ byte: UInt8) throws -> Bool {
    let literal: StaticString
    switch byte {
    case UInt8(ascii: "t"): literal = "true"
    case UInt8(ascii: "f"): literal = "false"
    case UInt8(ascii: "n"): literal = "null"
    default: throw notAValue()
    }
    while true {
      var count = 0
      while count < literal.utf8CodeUnitCount, position + count < end {
        if position[count] != literal.utf8Start[count] { throw error(.invalidLiteral, at: position) }
        count += 1
      }
      if count == literal.utf8CodeUnitCount {
        position += count
        return byte == UInt8(ascii: "t")
      }
      try requireMore(from: position)
    }
  }
}
