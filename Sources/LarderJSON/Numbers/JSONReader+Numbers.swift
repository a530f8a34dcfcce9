extension JSONReader {
  /// Scans the next number.
  @inline(__always)
  private mutating func scanNextNumber() throws -> NumberScan {
    while true {
      let byte = try nextByte()
      if _slowPath(byte &- ASCIIByte.zero > 9 && byte != ASCIIByte.minus) { throw mismatch("a number") }
      if _slowPath(hasPartialNumber), extendPartialNumber() {
        _ = try fetchMore(from: position)
        continue
      }
      let scan = try scanNumber(position)
      if _fastPath(!scan.isIncomplete) { return scan }
      recordPartialNumber()
      // If no more bytes come, the number ends with the document, which the next iteration finds.
      _ = try fetchMore(from: position)
    }
  }

  /// Skips the number at the reader's position. Usual forms are validated only, since their value is not needed.
  @inline(__always)
  mutating func skipNumber() throws {
    if _slowPath(hasPartialNumber) {
      position = try scanNextNumber().end
      return
    }
    let end = end
    var pointer = position
    if pointer.pointee == ASCIIByte.minus { pointer += 1 }
    let whole = pointer
    while pointer < end, ASCIIByte.isDigit(pointer.pointee) { pointer += 1 }
    if pointer < end, pointer > whole, whole.pointee != ASCIIByte.zero || pointer == whole + 1 {
      var isUsual = true
      if pointer.pointee == ASCIIByte.point {
        pointer += 1
        let fraction = pointer
        while pointer < end, ASCIIByte.isDigit(pointer.pointee) { pointer += 1 }
        isUsual = pointer > fraction
      }
      if isUsual, pointer < end, pointer.pointee | 0x20 != UInt8(ascii: "e"),
        pointer - position <= maximumNumberBytes
      {
        position = pointer
        return
      }
    }
    position = try scanNextNumber().end
  }

  // MARK: Integers

  /// Reads a number as an integer. A number with a point or an exponent is accepted if it is whole: `1.0`, `1e3`.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is not whole, or too large.
  public mutating func readInt64() throws -> Int64 {
    let scan = try scanNextNumber()
    let value = try integer(scan)
    position = scan.end
    return value
  }

  /// Returns the integer value of the number at the reader's position, without moving the reader.
  @inline(__always)
  private func integer(_ scan: NumberScan) throws -> Int64 {
    var magnitude = scan.mantissa
    if _slowPath(scan.exponent != 0 || scan.isTruncated) {
      guard let whole = scan.magnitude else { throw notRepresentable("a whole number of 64 bits") }
      magnitude = whole
    }
    if _fastPath(magnitude <= UInt64(Int64.max)) { return scan.isNegative ? -Int64(magnitude) : Int64(magnitude) }
    guard scan.isNegative, magnitude == Int64.min.magnitude else { throw notRepresentable("a whole number of 64 bits") }
    return .min
  }

  /// Reads a number as an unsigned integer.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is negative, not whole, or too large.
  public mutating func readUInt64() throws -> UInt64 {
    let scan = try scanNextNumber()
    guard let magnitude = scan.magnitude, !scan.isNegative || magnitude == 0 else {
      throw notRepresentable("a whole number of 64 bits without sign")
    }
    position = scan.end
    return magnitude
  }

  /// Reads a number as an integer of a type.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is not whole, or does not fit in the
  ///   type.
  @inlinable
  public mutating func readInteger<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws -> Integer {
    if Integer.bitWidth > 64 { return try readWideInteger() }
    if Integer.isSigned || Integer.bitWidth < 64 {
      let value = try readInt64(within: Int64(truncatingIfNeeded: Integer.min), Int64(truncatingIfNeeded: Integer.max))
      return Integer(truncatingIfNeeded: value)
    }
    return Integer(truncatingIfNeeded: try readUInt64())
  }

  /// Reads a number as an integer.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is not whole, or too large.
  @inlinable
  public mutating func readInt() throws -> Int { try readInteger() }

  /// Reads an integer of more than 64 bits.
  @usableFromInline
  mutating func readWideInteger<Integer: FixedWidthInteger>() throws -> Integer {
    let start = try valueStart()
    guard let value: Integer = try withNumber({ ExactDecimal($0)?.integer() }) else {
      throw error(
        .numberNotRepresentable, at: start,
        "The number is not a whole one between \(Integer.min) and \(Integer.max).")
    }
    return value
  }

  @usableFromInline
  mutating func readInt64(within least: Int64, _ greatest: Int64) throws -> Int64 {
    let scan = try scanNextNumber()
    let value = try integer(scan)
    // The reader moves past the number in either case, after the error has recorded its beginning.
    defer { position = scan.end }
    if _fastPath(least <= value && value <= greatest) { return value }
    throw error(
      .numberNotRepresentable, at: position, "The number is not between \(least) and \(greatest); use a larger type.")
  }

  // MARK: Floating point

  /// Reads a number as the nearest double.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is too large, or so small that it would
  ///   become zero.
  public mutating func readDouble() throws -> Double {
    let scan = try scanNextNumber()
    // Where the first 53 bits and a power of ten are exact, one operation rounds correctly (Clinger).
    if _fastPath(scan.mantissa <= 1 << 53 && !scan.isTruncated && scan.exponent.magnitude <= 22) {
      let digits = Double(Int64(bitPattern: scan.mantissa))
      let power = PowersOfTen.exact[Int(scan.exponent.magnitude)]
      let value = scan.exponent < 0 ? digits / power : digits * power
      position = scan.end
      return scan.isNegative ? -value : value
    }
    return try readDoubleSlowly(scan)
  }

  @inline(never)
  private mutating func readDoubleSlowly(_ scan: NumberScan) throws -> Double {
    guard let value = DecimalToBinary.double(scan, UnsafeBufferPointer(start: position, count: scan.end - position))
    else { throw notRepresentable("a double") }
    position = scan.end
    return value
  }

  /// Reads a number as the nearest `Float`.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number is too large, or so small that it would
  ///   become zero.
  public mutating func readFloat() throws -> Float {
    let scan = try scanNextNumber()
    if _fastPath(scan.mantissa <= 1 << 24 && !scan.isTruncated && scan.exponent.magnitude <= 10) {
      let digits = Float(Int64(bitPattern: scan.mantissa))
      let power = Float(PowersOfTen.exact[Int(scan.exponent.magnitude)])
      let value = scan.exponent < 0 ? digits / power : digits * power
      position = scan.end
      return scan.isNegative ? -value : value
    }
    guard let value = DecimalToBinary.float(scan, UnsafeBufferPointer(start: position, count: scan.end - position))
    else { throw notRepresentable("a Float") }
    position = scan.end
    return value
  }

  // MARK: Digits

  /// Passes a number's digits to a function, for types that hold more than a double. The digits have been validated.
  ///
  /// - Parameter body: A function that receives the bytes, which are valid until it returns.
  /// - Throws: ``JSONError``, and errors of `body`.
  public mutating func withNumber<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
    let scan = try scanNextNumber()
    let bytes = UnsafeBufferPointer(start: position, count: scan.end - position)
    let result = try body(bytes)
    position = scan.end
    return result
  }

  @inline(never)
  private func notRepresentable(_ type: String) -> JSONError {
    error(
      .numberNotRepresentable, at: position, "The number cannot be \(type); use a type that holds it, such as Decimal.")
  }
}

extension NumberScan {
  /// The number without its sign, if it is whole and fits in 64 bits.
  var magnitude: UInt64? {
    if exponent == 0 { return isTruncated ? nil : mantissa }
    if mantissa == 0 { return isTruncated ? nil : 0 }
    if isTruncated { return nil }
    var value = mantissa
    if exponent > 0 {
      guard exponent <= NumberScan.safeDigits else { return nil }
      for _ in 0..<exponent {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        value = product
      }
      return value
    }
    for _ in 0..<min(exponent.magnitude, 20) {
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { return nil }
      value = quotient
    }
    // A mantissa has fewer than 20 trailing zeros.
    return exponent.magnitude > 20 ? nil : value
  }
}
