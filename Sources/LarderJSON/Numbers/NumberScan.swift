/// A scanned number: `mantissa` × 10^`exponent`.
struct NumberScan {
  var end: UnsafePointer<UInt8>
  /// The leading digits, as many as fit.
  var mantissa: UInt64 = 0
  var exponent = 0
  var isNegative = false
  /// Whether the number has neither point nor exponent.
  var isInteger = true
  /// Whether digits other than zero are missing from the mantissa.
  var isTruncated = false
  /// Whether the bytes end, and the number may continue.
  var isIncomplete = false

  /// Any number of up to so many digits fits in 64 bits.
  static let safeDigits = 19
  /// No type has numbers with a greater exponent; the digits of a longer one are not added up.
  static let exponentLimit = 1_000_000
}

extension JSONReader {
  /// Scans the number that begins at `start`, a digit or a minus, by the grammar of RFC 8259, section 6.
  @inline(__always)
  func scanNumber(_ start: UnsafePointer<UInt8>) throws -> NumberScan {
    var pointer = start
    var scan = NumberScan(end: start)
    let end = end
    if pointer.pointee == ASCIIByte.minus {
      scan.isNegative = true
      pointer += 1
      if _slowPath(pointer == end) { return try incomplete(start, scan) }
    }
    let digits = pointer
    var mantissa = UInt64(pointer.pointee &- ASCIIByte.zero)
    if _slowPath(mantissa > 9) { throw error(.invalidNumber, at: pointer) }
    pointer += 1
    if mantissa != 0 {
      while pointer < end {
        let digit = pointer.pointee &- ASCIIByte.zero
        if digit > 9 { break }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        pointer += 1
      }
    }
    var count = pointer - digits
    if pointer < end, pointer.pointee == ASCIIByte.point {
      scan.isInteger = false
      pointer += 1
      let fraction = pointer
      while pointer < end {
        let digit = pointer.pointee &- ASCIIByte.zero
        if digit > 9 { break }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        pointer += 1
      }
      scan.exponent = fraction - pointer
      if _slowPath(scan.exponent == 0) {
        if pointer == end { return try incomplete(start, scan) }
        throw error(.invalidNumber, at: pointer)
      }
      count -= scan.exponent
    }
    let digitsEnd = pointer
    if pointer < end, pointer.pointee | 0x20 == UInt8(ascii: "e") {
      scan.isInteger = false
      pointer += 1
      guard let exponent = try scanExponent(&pointer) else { return try incomplete(start, scan) }
      scan.exponent += exponent
    }
    if _slowPath(pointer == end && !isFinished) { return try incomplete(start, scan) }
    if _slowPath(pointer - start > maximumNumberBytes) { throw error(.numberTooLong, at: start) }
    scan.mantissa = mantissa
    scan.end = pointer
    if _slowPath(count > NumberScan.safeDigits) { recount(&scan, digits, digitsEnd) }
    return scan
  }

  /// Scans the exponent after an `e`. Returns `nil` where the bytes end before a digit.
  @inline(never)
  private func scanExponent(_ pointer: inout UnsafePointer<UInt8>) throws -> Int? {
    guard pointer < end else { return nil }
    let isNegative = pointer.pointee == ASCIIByte.minus
    if isNegative || pointer.pointee == ASCIIByte.plus { pointer += 1 }
    guard pointer < end else { return nil }
    guard ASCIIByte.isDigit(pointer.pointee) else { throw error(.invalidNumber, at: pointer) }
    var exponent = 0
    while pointer < end, ASCIIByte.isDigit(pointer.pointee) {
      if exponent < NumberScan.exponentLimit { exponent = exponent * 10 + Int(pointer.pointee - ASCIIByte.zero) }
      pointer += 1
    }
    return isNegative ? -exponent : exponent
  }

  /// Counts again where there are more digits than are certain to fit: trailing zeros become part of the exponent.
  @inline(never)
  private func recount(_ scan: inout NumberScan, _ digits: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>) {
    var last = stop
    while last > digits, (last - 1).pointee == ASCIIByte.zero || (last - 1).pointee == ASCIIByte.point { last -= 1 }
    var mantissa: UInt64 = 0
    // The number of digits after the last one in the mantissa.
    var left = 0
    var isFull = false
    var pointer = digits
    while pointer < stop {
      let byte = pointer.pointee
      if byte != ASCIIByte.point {
        if isFull || pointer >= last {
          left += 1
          if byte != ASCIIByte.zero { scan.isTruncated = true }
        } else {
          let (tens, over) = mantissa.multipliedReportingOverflow(by: 10)
          let (sum, carry) = tens.addingReportingOverflow(UInt64(byte - ASCIIByte.zero))
          if over || carry {
            isFull = true
            left += 1
            if byte != ASCIIByte.zero { scan.isTruncated = true }
          } else {
            mantissa = sum
          }
        }
      }
      pointer += 1
    }
    scan.mantissa = mantissa
    scan.exponent += left
  }

  @inline(never)
  private func incomplete(_ start: UnsafePointer<UInt8>, _ scan: NumberScan) throws -> NumberScan {
    if isFinished { throw error(.unexpectedEnd, at: end) }
    if end - start > maximumNumberBytes { throw error(.numberTooLong, at: start) }
    var scan = scan
    scan.isIncomplete = true
    return scan
  }
}
