import Foundation

/// A value of a row.
package enum Cell: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// A text, in UTF-8 as a rule.
  case text([UInt8])
  case blob([UInt8])
}

/// Parses rows in the format of ``RowWriter``. The input is untrusted: any other format is an error.
package struct RowParser {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  package struct ParseError: Error {
    package let reason: String
  }

  package init(_ line: ArraySlice<UInt8>) {
    bytes = line
    position = line.startIndex
  }

  /// Parses the values of a row.
  ///
  /// - Parameter limit: The number of the table's columns; a row with more values is an error.
  package mutating func parseRow(limit: Int) throws -> [Cell] {
    var values: [Cell] = []
    try expect("[")
    if !consume("]") {
      repeat {
        guard values.count < limit else { throw ParseError(reason: "has more than \(limit) values") }
        values.append(try parseValue())
      } while consume(",")
      try expect("]")
    }
    guard position == bytes.endIndex else { throw ParseError(reason: "goes on after its end") }
    return values
  }

  // MARK: Values

  private mutating func parseValue() throws -> Cell {
    guard position < bytes.endIndex else { throw ParseError(reason: "breaks off") }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .text(try parseText())
    case UInt8(ascii: "n"):
      try expect("null")
      return .null
    case UInt8(ascii: "{"): return try parseObject()
    default: return try parseNumber()
    }
  }

  private mutating func parseNumber() throws -> Cell {
    let start = position
    var isReal = false
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isReal = true
      default: return try number(start, isReal)
      }
      position += 1
    }
    return try number(start, isReal)
  }

  private func number(_ start: Int, _ isReal: Bool) throws -> Cell {
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isReal, let value = Double(text), value.isFinite { return .real(value) }
    if !isReal, text.first != "+", let value = Int64(text) { return .integer(value) }
    throw ParseError(
      reason: text.isEmpty ? "has something that is no value" : "has the number \(text.prefix(40)), which is none")
  }

  private mutating func parseObject() throws -> Cell {
    try expect("{")
    let key = String(decoding: try parseText(), as: UTF8.self)
    try expect(":")
    let value = try parseText()
    try expect("}")
    switch key {
    case "real":
      if value.elementsEqual("inf".utf8) { return .real(.infinity) }
      if value.elementsEqual("-inf".utf8) { return .real(-.infinity) }
      throw ParseError(reason: "has a real that is none")
    case "blob", "text":
      guard let data = Data(base64Encoded: Data(value)) else {
        throw ParseError(reason: "has a \(key) that is no Base64")
      }
      return key == "blob" ? .blob(Array(data)) : .text(Array(data))
    default: throw ParseError(reason: "has an object that is no value")
    }
  }

  private mutating func parseText() throws -> [UInt8] {
    try expect("\"")
    var result: [UInt8] = []
    while true {
      let start = position
      while position < bytes.endIndex, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
        bytes[position] != UInt8(ascii: "\\")
      {
        position += 1
      }
      guard position < bytes.endIndex else { throw ParseError(reason: "breaks off in a text") }
      result.append(contentsOf: bytes[start..<position])
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\") else { throw ParseError(reason: "has a control character in a text") }
      try parseEscape(into: &result)
    }
    guard String(validating: result, as: UTF8.self) != nil else {
      throw ParseError(reason: "has a text that is no UTF-8")
    }
    return result
  }

  private mutating func parseEscape(into result: inout [UInt8]) throws {
    guard position < bytes.endIndex else { throw ParseError(reason: "breaks off in a text") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"): result.append(contentsOf: try parseCodePoint())
    default: throw ParseError(reason: "has an escape that is none")
    }
  }

  private mutating func parseCodePoint() throws -> [UInt8] {
    var unit = UInt32(try parseHexadecimal())
    if unit & 0xFC00 == 0xD800 {
      try expect("\\u")
      let low = UInt32(try parseHexadecimal())
      guard low & 0xFC00 == 0xDC00 else { throw ParseError(reason: "has half a character") }
      unit = 0x1_0000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw ParseError(reason: "has half a character") }
    return Array(String(scalar).utf8)
  }

  private mutating func parseHexadecimal() throws -> UInt16 {
    guard bytes.endIndex - position >= 4 else { throw ParseError(reason: "breaks off in a text") }
    let digits = bytes[position..<position + 4]
    position += 4
    var value: UInt16 = 0
    for digit in digits {
      guard let number = Character(Unicode.Scalar(digit)).hexDigitValue else {
        throw ParseError(reason: "has an escape that is none")
      }
      value = value << 4 | UInt16(number)
    }
    return value
  }

  // MARK: Punctuation

  private mutating func consume(_ sign: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: sign.utf8Start, count: sign.utf8CodeUnitCount)
    guard bytes.endIndex - position >= wanted.count, bytes[position..<position + wanted.count].elementsEqual(wanted)
    else {
      return false
    }
    position += wanted.count
    return true
  }

  private mutating func expect(_ sign: StaticString) throws {
    if !consume(sign) { throw ParseError(reason: "has no \(sign) where one must be") }
  }
}
