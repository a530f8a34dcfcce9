import Foundation

/// A value of a row.
package enum Cell: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8, as a rule.
  case text([UInt8])
  case blob([UInt8])
}

/// Reads what ``RowText`` writes, from anybody: whatever is not so is an error.
package struct RowScanner {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  package struct Failure: Error {
    package let reason: String
  }

  package init(_ line: ArraySlice<UInt8>) {
    bytes = line
    place = line.startIndex
  }

  /// The values of a row.
  ///
  /// - Parameter limit: More values than a table has columns are none of its rows.
  package mutating func row(limit: Int) throws -> [Cell] {
    var values: [Cell] = []
    try expect("[")
    if !take("]") {
      repeat {
        guard values.count < limit else { throw Failure(reason: "has more than \(limit) values") }
        values.append(try value())
      } while take(",")
      try expect("]")
    }
    guard place == bytes.endIndex else { throw Failure(reason: "goes on after its end") }
    return values
  }

  // MARK: Values

  private mutating func value() throws -> Cell {
    guard place < bytes.endIndex else { throw Failure(reason: "breaks off") }
    switch bytes[place] {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "n"):
      try expect("null")
      return .null
    case UInt8(ascii: "{"): return try object()
    default: return try number()
    }
  }

  private mutating func number() throws -> Cell {
    let start = place
    var isReal = false
    while place < bytes.endIndex {
      switch bytes[place] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isReal = true
      default: return try number(start, isReal)
      }
      place += 1
    }
    return try number(start, isReal)
  }

  private func number(_ start: Int, _ isReal: Bool) throws -> Cell {
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isReal, let value = Double(text), value.isFinite { return .real(value) }
    if !isReal, text.first != "+", let value = Int64(text) { return .integer(value) }
    throw Failure(
      reason: text.isEmpty ? "has something that is no value" : "has the number \(text.prefix(40)), which is none")
  }

  private mutating func object() throws -> Cell {
    try expect("{")
    let key = String(decoding: try text(), as: UTF8.self)
    try expect(":")
    let value = try text()
    try expect("}")
    switch key {
    case "real":
      if value.elementsEqual("inf".utf8) { return .real(.infinity) }
      if value.elementsEqual("-inf".utf8) { return .real(-.infinity) }
      throw Failure(reason: "has a real that is none")
    case "blob", "text":
      guard let data = Data(base64Encoded: Data(value)) else { throw Failure(reason: "has a \(key) that is no Base64") }
      return key == "blob" ? .blob(Array(data)) : .text(Array(data))
    default: throw Failure(reason: "has an object that is no value")
    }
  }

  private mutating func text() throws -> [UInt8] {
    try expect("\"")
    var result: [UInt8] = []
    while true {
      let start = place
      while place < bytes.endIndex, bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\""),
        bytes[place] != UInt8(ascii: "\\")
      {
        place += 1
      }
      guard place < bytes.endIndex else { throw Failure(reason: "breaks off in a text") }
      result.append(contentsOf: bytes[start..<place])
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      guard byte == UInt8(ascii: "\\") else { throw Failure(reason: "has a control character in a text") }
      try escape(into: &result)
    }
    guard String(validating: result, as: UTF8.self) != nil else { throw Failure(reason: "has a text that is no UTF-8") }
    return result
  }

  private mutating func escape(into result: inout [UInt8]) throws {
    guard place < bytes.endIndex else { throw Failure(reason: "breaks off in a text") }
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"): result.append(contentsOf: try codePoint())
    default: throw Failure(reason: "has an escape that is none")
    }
  }

  private mutating func codePoint() throws -> [UInt8] {
    var unit = UInt32(try hexadecimal())
    if unit & 0xFC00 == 0xD800 {
      try expect("\\u")
      let low = UInt32(try hexadecimal())
      guard low & 0xFC00 == 0xDC00 else { throw Failure(reason: "has half a character") }
      unit = 0x1_0000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw Failure(reason: "has half a character") }
    return Array(String(scalar).utf8)
  }

  private mutating func hexadecimal() throws -> UInt16 {
    guard bytes.endIndex - place >= 4 else { throw Failure(reason: "breaks off in a text") }
    let digits = bytes[place..<place + 4]
    place += 4
    var value: UInt16 = 0
    for digit in digits {
      guard let number = Character(Unicode.Scalar(digit)).hexDigitValue else {
        throw Failure(reason: "has an escape that is none")
      }
      value = value << 4 | UInt16(number)
    }
    return value
  }

  // MARK: Signs

  private mutating func take(_ sign: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: sign.utf8Start, count: sign.utf8CodeUnitCount)
    guard bytes.endIndex - place >= wanted.count, bytes[place..<place + wanted.count].elementsEqual(wanted) else {
      return false
    }
    place += wanted.count
    return true
  }

  private mutating func expect(_ sign: StaticString) throws {
    if !take(sign) { throw Failure(reason: "has no \(sign) where one must be") }
  }
}
