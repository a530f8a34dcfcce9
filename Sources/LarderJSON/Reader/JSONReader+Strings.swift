// Strings are scanned once, a word at a time, and copied at most once.

/// The end and properties of a scanned string.
struct StringScan {
  /// The closing quote; if the bytes end before it, the first byte that has not been scanned.
  var end: UnsafePointer<UInt8>
  var hasEscapes = false
  /// Whether the bytes end before the string does.
  var isIncomplete = false
}

extension JSONReader {
  /// Reads a string.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/typeMismatch`` if the next value is of another kind.
  public mutating func readString() throws -> String {
    let bytes = try stringBytes()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Passes a string's unescaped bytes in UTF-8 to a function, without creating a `String`.
  ///
  /// ```swift
  /// try reader.withString { bytes in statement.bind(1, bytes) }
  /// ```
  ///
  /// - Parameter body: A function that receives the bytes, which are valid until it returns.
  /// - Throws: ``JSONError``, and errors of `body`.
  public mutating func withString<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
    try body(try stringBytes())
  }

  /// Reads a string and returns its bytes, which are valid until the next call.
  mutating func stringBytes() throws -> UnsafeBufferPointer<UInt8> {
    guard try nextByte() == ASCIIByte.quote else { throw mismatch("a string") }
    let scan = try scanNextString()
    let start = position + 1
    position = scan.end + 1
    if _slowPath(scan.hasEscapes) {
      let text = unescape(start, scan.end)
      return UnsafeBufferPointer(start: text.start, count: text.count)
    }
    return UnsafeBufferPointer(start: start, count: scan.end - start)
  }

  /// Skips the string at the reader's position.
  @inline(__always)
  mutating func skipString() throws { position = try scanNextString().end + 1 }

  /// Returns the scan of the string at the reader's position, after the string has arrived completely. Does not move the
  /// reader.
  @inline(__always)
  mutating func scanNextString() throws -> StringScan {
    while true {
      let start = position + 1
      let scan = try findEnd(of: start, from: start)
      if _fastPath(!scan.isIncomplete) { return scan }
      try requireEnd(of: start, scan)
    }
  }

  /// Finds the end of a string that begins at `start` and is plain up to `from`, and validates the string.
  @inline(__always)
  func scanString(_ start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    var pointer = from
    while end - pointer >= 8 {
      let mark = Words.special(Words.load(pointer))
      if mark == 0 {
        pointer += 8
        continue
      }
      pointer += Words.countBefore(mark)
      if _fastPath(pointer.pointee == ASCIIByte.quote) {
        if _slowPath(pointer - start > maximumStringBytes) { throw error(.stringTooLong, at: start) }
        return StringScan(end: pointer)
      }
      break
    }
    return try scanStringByBytes(start, from: pointer)
  }

  /// Scans the rest of a string that is not plain, or near the end of the bytes.
  @inline(never)
  private func scanStringByBytes(_ start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    var scan = StringScan(end: from)
    while scan.end < end {
      let byte = scan.end.pointee
      switch byte {
      case ASCIIByte.quote:
        if scan.end - start > maximumStringBytes { throw error(.stringTooLong, at: start) }
        return scan
      case ASCIIByte.backslash:
        scan.hasEscapes = true
        guard let length = try escapeLength(scan.end) else { return try incomplete(start, scan) }
        scan.end += length
      case 0..<0x20:
        throw error(.controlCharacter, at: scan.end)
      case 0x80...:
        switch UTF8Sequence.validate(scan.end, end) {
        case .length(let length): scan.end += length
        case .incomplete: return try incomplete(start, scan)
        case .invalid: throw error(.invalidUTF8, at: scan.end)
        }
      default:
        scan.end += 1
        while end - scan.end >= 8 {
          let mark = Words.special(Words.load(scan.end))
          scan.end += mark == 0 ? 8 : Words.countBefore(mark)
          if mark != 0 { break }
        }
      }
    }
    return try incomplete(start, scan)
  }

  private func incomplete(_ start: UnsafePointer<UInt8>, _ scan: StringScan) throws -> StringScan {
    if end - start > maximumStringBytes { throw error(.stringTooLong, at: start) }
    return StringScan(end: scan.end, hasEscapes: scan.hasEscapes, isIncomplete: true)
  }

  /// Returns the length of an escape, or of a surrogate pair; `nil` where the bytes end within it.
  private func escapeLength(_ start: UnsafePointer<UInt8>) throws -> Int? {
    guard end - start >= 2 else { return nil }
    switch start[1] {
    case ASCIIByte.quote, ASCIIByte.backslash, ASCIIByte.slash, UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard let unit = try codeUnit(start) else { return nil }
      guard 0xD800...0xDFFF ~= unit else { return 6 }
      guard unit < 0xDC00 else { throw error(.loneSurrogate, at: start) }
      let next = start + 6
      if next == end { return nil }
      guard next[0] == ASCIIByte.backslash else { throw error(.loneSurrogate, at: start) }
      if next + 1 == end { return nil }
      guard next[1] == UInt8(ascii: "u") else { throw error(.loneSurrogate, at: start) }
      guard let low = try codeUnit(next) else { return nil }
      guard 0xDC00...0xDFFF ~= low else { throw error(.loneSurrogate, at: start) }
      return 12
    default:
      throw error(.invalidEscape, at: start)
    }
  }

  /// Returns the code unit of `\uXXXX`, or `nil` where the bytes end within it.
  private func codeUnit(_ escape: UnsafePointer<UInt8>) throws -> UInt32? {
    var unit: UInt32 = 0
    for index in 2..<6 {
      if escape + index >= end { return nil }
      guard let digit = Hexadecimal.value(escape[index]) else { throw error(.invalidEscape, at: escape) }
      unit = unit &<< 4 | UInt32(digit)
    }
    return unit
  }

  /// Unescapes a string whose escapes have been validated.
  @inline(never)
  func unescape(_ start: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>) -> (
    start: UnsafePointer<UInt8>, count: Int
  ) {
    let output = window.scratch(stop - start)
    return (UnsafePointer(output), EscapeDecoder.decode(start, stop, to: output))
  }

  /// Returns a key or string without its escapes.
  static func unescaped(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
    unescaped(UnsafeBufferPointer(start: start, count: count))
  }

  static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard let start = bytes.baseAddress, bytes.contains(ASCIIByte.backslash) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(unsafeUninitializedCapacity: bytes.count) { buffer in
      guard let output = buffer.baseAddress else { return 0 }
      return EscapeDecoder.decode(start, start + bytes.count, to: output)
    }
  }
}

enum Hexadecimal {
  @inline(__always)
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

enum EscapeDecoder {
  /// Writes text with valid escapes as UTF-8, and returns its length, which is at most that of the text.
  static func decode(
    _ start: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var input = start
    var count = 0
    func unit(_ escape: UnsafePointer<UInt8>) -> UInt32 {
      (2..<6).reduce(UInt32(0)) { $0 &<< 4 | UInt32(Hexadecimal.value(escape[$1]) ?? 0) }
    }
    func put(_ byte: UInt8) {
      output[count] = byte
      count += 1
    }
    while input < stop {
      guard input.pointee == ASCIIByte.backslash, stop - input >= 2 else {
        put(input.pointee)
        input += 1
        continue
      }
      switch input[1] {
      case UInt8(ascii: "b"): put(0x08)
      case UInt8(ascii: "f"): put(0x0C)
      case UInt8(ascii: "n"): put(0x0A)
      case UInt8(ascii: "r"): put(0x0D)
      case UInt8(ascii: "t"): put(0x09)
      case UInt8(ascii: "u"):
        guard stop - input >= 6 else { return count }
        var scalar = unit(input)
        if 0xD800..<0xDC00 ~= scalar, stop - input >= 12 {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(input + 6) &- 0xDC00)
          input += 6
        }
        switch scalar {
        case 0..<0x80: put(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
          put(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
          put(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        case 0x800..<0x10000:
          put(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
          put(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F))
          put(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        default:
          put(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
          put(0x80 | UInt8(truncatingIfNeeded: scalar >> 12 & 0x3F))
          put(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F))
          put(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        }
        input += 4
      default: put(input[1])
      }
      input += 2
    }
    return count
  }
}
