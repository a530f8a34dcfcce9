/// Conversion of decimal digits to the nearest binary number, ties to even.
enum DecimalToBinary {
  /// Returns the nearest double.
  ///
  /// - Parameter text: The digits, for the few numbers that 128 bits do not decide.
  /// - Returns: `nil` for a number that is too large, or that is not zero and would become zero.
  static func double(_ scan: NumberScan, _ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if scan.mantissa == 0, !scan.isTruncated { return scan.isNegative ? -0.0 : 0.0 }
    if !scan.isTruncated, let value = eiselLemire(scan.mantissa, scan.exponent) {
      return scan.isNegative ? -value : value
    }
    // The standard library's conversion is correct for any length, and slow.
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite, value != 0 else { return nil }
    return value
  }

  static func float(_ scan: NumberScan, _ text: UnsafeBufferPointer<UInt8>) -> Float? {
    if scan.mantissa == 0, !scan.isTruncated { return scan.isNegative ? -0.0 : 0.0 }
    // Not by way of a double, which would round twice.
    guard let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite, value != 0 else { return nil }
    return value
  }

  /// Converts by Lemire's form of Eisel's algorithm ("Number Parsing at a Gigabyte per Second", 2021): the product of the digits
  /// and
  /// 128 bits of a power of five decides nearly always. Returns `nil` where it does not, and for subnormal numbers.
  static func eiselLemire(_ mantissa: UInt64, _ exponent: Int) -> Double? {
    guard PowersOfFive.range.contains(exponent) else { return nil }
    let zeros = mantissa.leadingZeroBitCount
    let normal = mantissa &<< UInt64(zeros)
    let (powerHigh, powerLow) = PowersOfFive.bits(exponent)
    var (upper, lower) = normal.multipliedFullWidth(by: powerHigh)
    // 52 bits of the result, an implied bit, a bit for rounding and one that may be shifted out.
    if upper & 0x1FF == 0x1FF {
      let second = normal.multipliedFullWidth(by: powerLow).high
      let (sum, carry) = lower.addingReportingOverflow(second)
      lower = sum
      if carry { upper &+= 1 }
      if lower == .max, !(-27...55).contains(exponent) { return nil }
    }
    let topBit = Int(upper &>> 63)
    var significand = upper &>> UInt64(topBit + 9)
    // log2(5^exponent) + exponent, with 16 fractional bits.
    var power = (217_706 * exponent) >> 16 + 63 + topBit - zeros + 1_023
    guard power > 0 else { return nil }
    if lower <= 1, (-4...23).contains(exponent), significand & 3 == 1, significand &<< UInt64(topBit + 9) == upper {
      // Exactly between two: rounds to the even one.
      significand &= ~1
    }
    significand += significand & 1
    significand >>= 1
    if significand >= 1 &<< 53 {
      significand = 1 &<< 52
      power += 1
    }
    guard power < 0x7FF else { return nil }
    return Double(bitPattern: significand & ~(1 &<< 52) | UInt64(power) &<< 52)
  }
}

enum PowersOfTen {
  /// The powers of ten that a double represents exactly.
  static let exact: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}

/// The leading 128 bits of powers of five, computed once, for the first number that needs them (in less than a millisecond).
enum PowersOfFive {
  /// 10^-342 times any 64 bits is less than the least double, 10^308 the greatest power of ten.
  static let range = -342...308

  static func bits(_ exponent: Int) -> (high: UInt64, low: UInt64) {
    let index = (exponent - range.lowerBound) * 2
    return (table[index], table[index + 1])
  }

  private static let table: [UInt64] = {
    var table = [UInt64](repeating: 0, count: range.count * 2)
    func enter(_ exponent: Int, _ number: [UInt64], roundedUp: Bool) {
      var (high, low) = leading(number)
      if roundedUp {
        low &+= 1
        if low == 0 { high &+= 1 }
      }
      table[(exponent - range.lowerBound) * 2] = high
      table[(exponent - range.lowerBound) * 2 + 1] = low
    }
    // The least significant word first. 5^308 has 716 bits.
    var power: [UInt64] = [1] + [UInt64](repeating: 0, count: 12)
    for exponent in 0...range.upperBound {
      enter(exponent, power, roundedUp: false)
      var carry: UInt64 = 0
      for index in power.indices {
        let (high, low) = power[index].multipliedFullWidth(by: 5)
        let (sum, overflow) = low.addingReportingOverflow(carry)
        power[index] = sum
        carry = high &+ (overflow ? 1 : 0)
      }
    }
    // 2^1087 / 5^n: repeated division by five loses nothing, since each quotient is the floor of the whole. The last quotient
    // has 293 bits.
    var inverse = [UInt64](repeating: 0, count: 16) + [1 &<< 63]
    for exponent in stride(from: -1, through: range.lowerBound, by: -1) {
      var remainder: UInt64 = 0
      for index in inverse.indices.reversed() {
        (inverse[index], remainder) = UInt64(5).dividingFullWidth((remainder, inverse[index]))
      }
      // Down to 5^-27 the algorithm needs the bits rounded up.
      enter(exponent, inverse, roundedUp: exponent >= -27)
    }
    return table
  }()

  private static func leading(_ number: [UInt64]) -> (UInt64, UInt64) {
    guard let top = number.lastIndex(where: { $0 != 0 }) else { return (0, 0) }
    func word(_ index: Int) -> UInt64 { index >= 0 ? number[index] : 0 }
    let shift = UInt64(number[top].leadingZeroBitCount)
    guard shift > 0 else { return (word(top), word(top - 1)) }
    return (
      word(top) &<< shift | word(top - 1) &>> (64 - shift), word(top - 1) &<< shift | word(top - 2) &>> (64 - shift)
    )
  }
}
