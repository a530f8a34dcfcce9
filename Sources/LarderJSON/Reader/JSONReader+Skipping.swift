// Values that the caller does not need are skipped without being created, and validated nevertheless.

extension JSONReader {
  /// Skips the next value, of any kind.
  ///
  /// If a fed reader runs out of bytes, repeat the call after feeding it: the reader continues in the middle of the value, and does
  /// not keep the skipped bytes.
  ///
  /// - Throws: ``JSONError`` if the value is malformed.
  public mutating func skipValue() throws {
    if _slowPath(isSkipping) { return try resumeSkip() }
    switch try nextByte() {
    case ASCIIByte.quote: try skipString()
    case ASCIIByte.openBrace:
      let base = depth
      try open(isObject: true)
      try skip(downTo: base, awaitsValue: false)
    case ASCIIByte.openBracket:
      let base = depth
      try open(isObject: false)
      try skip(downTo: base, awaitsValue: false)
    case let byte: try skipScalar(byte)
    }
  }

  private mutating func resumeSkip() throws {
    isSkipping = false
    guard let suspended = window.suspendedSkip else { return }
    window.suspendedSkip = nil
    try skip(downTo: suspended.depth, awaitsValue: suspended.awaitsValue)
  }

  /// Skips the rest of the open objects and arrays above a depth.
  private mutating func skip(downTo base: Int, awaitsValue: Bool) throws {
    var awaitsValue = awaitsValue
    do {
      while awaitsValue || depth > base {
        if !awaitsValue {
          if frame.pointee.isObject {
            guard try skipKey() else { continue }
          } else {
            guard try nextElement() else { continue }
          }
          awaitsValue = true
        }
        switch try nextByte() {
        case ASCIIByte.quote: try skipString()
        case ASCIIByte.openBrace: try open(isObject: true)
        case ASCIIByte.openBracket: try open(isObject: false)
        case let byte: try skipScalar(byte)
        }
        awaitsValue = false
      }
    } catch {
      if window.isExhausted {
        isSkipping = true
        window.suspendedSkip = (base, awaitsValue)
      }
      throw error
    }
  }

  private mutating func skipKey() throws -> Bool { try nextKey() != nil }

  @inline(__always)
  private mutating func skipScalar(_ byte: UInt8) throws {
    switch byte {
    case ASCIIByte.minus, ASCIIByte.zero...ASCIIByte.nine: try skipNumber()
    default: _ = try consumeLiteral(byte)
    }
  }
}
