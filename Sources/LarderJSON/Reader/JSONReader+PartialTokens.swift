// Strings and numbers that arrive in many parts are scanned once, not from their beginning with each part.

/// The scanned part of a string whose end has not arrived.
///
/// It describes the document, and stays true wherever the reader moves meanwhile: it applies to the string that begins at this
/// place and to no other, and remains valid when the reader goes back.
struct PartialString {
  /// The offset in the document of the first byte after the quote.
  var start = 0
  /// The number of scanned bytes. They end before an escape or a character that has arrived only in part.
  var count = 0
  /// Whether the scanned bytes have escapes.
  var hasEscapes = false
}

extension JSONReader {
  /// Finds the end of a string as ``scanString(_:from:)`` does, and resumes an earlier scan of the same string.
  @inline(__always)
  mutating func findEnd(of start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    if _slowPath(hasPartialString) { return try resumeFindEnd(start, from: from) }
    return try scanString(start, from: from)
  }

  @inline(never)
  private mutating func resumeFindEnd(_ start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    let cut = window.partialString
    let place = offset(of: start)
    // The record of a string is obsolete after the reader has moved past the string.
    if place > cut.start { hasPartialString = false }
    guard place == cut.start else { return try scanString(start, from: from) }
    var scan = try scanString(start, from: start + cut.count)
    scan.hasEscapes = scan.hasEscapes || cut.hasEscapes
    return scan
  }

  /// Fetches bytes after the scanned part of a string. The string's quote is at the reader's position.
  @inline(never)
  mutating func requireEnd(of start: UnsafePointer<UInt8>, _ scan: StringScan) throws {
    window.partialString = PartialString(start: offset(of: start), count: scan.end - start, hasEscapes: scan.hasEscapes)
    hasPartialString = true
    try requireMore(from: position)
  }
}

// MARK: - Numbers

/// The scanned part of a number whose end has not arrived. As ``PartialString``, it applies to the number that begins at this
/// place.
struct PartialNumber {
  var start = 0
  var count = 0
}

extension JSONReader {
  /// Records that the number at the reader's position continues after the received bytes.
  @inline(never)
  mutating func recordPartialNumber() {
    window.rereadByteCount += end - position
    window.partialNumber = PartialNumber(start: offset, count: end - position)
    hasPartialNumber = true
  }

  /// Returns whether the number at the reader's position was cut off before and still is: all bytes since may belong to it.
  /// Otherwise, or if the number is too long, the caller scans it as a whole.
  @inline(never)
  mutating func extendPartialNumber() -> Bool {
    let cut = window.partialNumber
    if offset > cut.start { hasPartialNumber = false }
    guard offset == cut.start, !isFinished, end - position <= maximumNumberBytes else { return false }
    var pointer = position + cut.count
    while pointer < end {
      switch pointer.pointee {
      case ASCIIByte.zero...ASCIIByte.nine, ASCIIByte.point, ASCIIByte.plus, ASCIIByte.minus, UInt8(ascii: "e"),
        UInt8(ascii: "E"):
        pointer += 1
      default: return false
      }
    }
    window.partialNumber.count = end - position
    return true
  }
}
