// Strings and numbers that come in many parts are looked through once, not from their beginning with each part.

/// How far a string has been looked through whose end has not come.
///
/// It is known of the document, and stays true wherever reading goes meanwhile: so it holds for the string that begins at
/// this place and for no other, and need not be forgotten when the reader goes back.
struct PartialString {
  /// The place in the document of the first byte behind its quote.
  var start = 0
  /// How many of its bytes have been looked through. They end before an escape or a character of which only a part has come.
  var count = 0
  /// Whether there are escapes among them.
  var hasEscapes = false
}

extension JSONReader {
  /// Finds the end of a string as ``scanString(_:from:)`` does, from where that stopped if this string was cut off before.
  @inline(__always)
  mutating func findEnd(of start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    if _slowPath(hasPartialString) { return try resumeFindEnd(start, from: from) }
    return try scanString(start, from: from)
  }

  @inline(never)
  private mutating func resumeFindEnd(_ start: UnsafePointer<UInt8>, from: UnsafePointer<UInt8>) throws -> StringScan {
    let cut = window.partialString
    let place = offset(of: start)
    // Of a string that has been passed nothing need be known any more.
    if place > cut.start { hasPartialString = false }
    guard place == cut.start else { return try scanString(start, from: from) }
    var scan = try scanString(start, from: start + cut.count)
    scan.hasEscapes = scan.hasEscapes || cut.hasEscapes
    return scan
  }

  /// Gets bytes behind those that a string has come to. The reader stands at the string's quote.
  @inline(never)
  mutating func requireEnd(of start: UnsafePointer<UInt8>, _ scan: StringScan) throws {
    window.partialString = PartialString(start: offset(of: start), count: scan.end - start, hasEscapes: scan.hasEscapes)
    hasPartialString = true
    try requireMore(from: position)
  }
}

// MARK: - Numbers

/// How far a number has come whose end has not. As ``PartialString``, it holds for the number that begins at this place.
struct PartialNumber {
  var start = 0
  var count = 0
}

extension JSONReader {
  /// Notes that the number which the reader stands at goes on behind what has come.
  @inline(never)
  mutating func recordPartialNumber() {
    window.rereadByteCount += end - position
    window.partialNumber = PartialNumber(start: offset, count: end - position)
    hasPartialNumber = true
  }

  /// Whether the number that the reader stands at was cut off before and still is: all that has come since may be of it. Where
  /// not, or where it is too long, it is looked at as a whole.
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
