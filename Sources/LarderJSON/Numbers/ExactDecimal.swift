/// A number's digits as an integer of 128 bits times a power of ten, from which a `Decimal` is created without loss.
struct ExactDecimal: Equatable {
  var high: UInt64 = 0
  var low: UInt64 = 0
  var exponent = 0
  var isNegative = false

  /// The exponents of `Decimal`.
  static let exponents = -128...127

  /// Creates the decimal of a number.
  ///
  /// - Parameter bytes: A number that has been validated.
  /// - Returns: `nil` where `Decimal` cannot hold every digit.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    if bytes.first == ASCIIByte.minus {
      isNegative = true
      index = 1
    }
    // Zeros are counted until a digit follows them, so that trailing zeros need no room.
    var zeros = 0
    var isFraction = false
    digits: while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case ASCIIByte.point: isFraction = true
      case ASCIIByte.zero...ASCIIByte.nine:
        if isFraction { exponent -= 1 }
        if byte == ASCIIByte.zero {
          zeros += 1
          continue
        }
        if high | low == 0 { zeros = 0 }
        for _ in 0..<zeros { guard append(0) else { return nil } }
        zeros = 0
        guard append(byte - ASCIIByte.zero) else { return nil }
      default:
        // "e" or "E".
        var power = 0
        let isNegative = bytes[index] == ASCIIByte.minus
        if isNegative || bytes[index] == ASCIIByte.plus { index += 1 }
        while index < bytes.count {
          if power < NumberScan.exponentLimit { power = power * 10 + Int(bytes[index] - ASCIIByte.zero) }
          index += 1
        }
        exponent += isNegative ? -power : power
        break digits
      }
    }
    if high | low == 0 {
      self = ExactDecimal()
      return
    }
    exponent += zeros
    if !ExactDecimal.exponents.contains(exponent) { return nil }
  }

  private init() {}

  /// Returns the number as an integer of more than 64 bits, if it is whole and fits.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    // Trailing zeros are part of the exponent, so a negative exponent means a fraction.
    guard exponent >= 0 else { return nil }
    var value: Integer = 0
    func shift(_ factor: UInt64, _ part: UInt64) -> Bool {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: Integer(factor))
      let (sum, overflows) =
        isNegative
        ? product.subtractingReportingOverflow(Integer(part)) : product.addingReportingOverflow(Integer(part))
      value = sum
      return !isTooLarge && !overflows
    }
    for half in [high >> 32, high & 0xFFFF_FFFF, low >> 32, low & 0xFFFF_FFFF] {
      guard shift(1 << 32, half) else { return nil }
    }
    for _ in 0..<exponent { guard shift(10, 0) else { return nil } }
    return value
  }

  private mutating func append(_ digit: UInt8) -> Bool {
    let (tensHigh, isTooLarge) = high.multipliedReportingOverflow(by: 10)
    let (carry, tens) = low.multipliedFullWidth(by: 10)
    let (sum, one) = tens.addingReportingOverflow(UInt64(digit))
    let (upper, carries) = tensHigh.addingReportingOverflow(carry)
    let (all, carriesAgain) = upper.addingReportingOverflow(one ? 1 : 0)
    if isTooLarge || carries || carriesAgain { return false }
    (high, low) = (all, sum)
    return true
  }
}
