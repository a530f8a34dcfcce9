public import Foundation

// Types of Foundation, in a folder of their own, so that the parser depends on the standard library only.

extension JSONReader {
  /// Reads a date.
  ///
  /// - Parameter format: The format of the date.
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidValue`` if a string is no date.
  public mutating func readDate(_ format: JSONDateFormat) throws -> Date {
    switch format {
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try readDouble() / 1_000)
    case .secondsSince1970: return Date(timeIntervalSince1970: try readDouble())
    case .secondsSinceReferenceDate: return Date(timeIntervalSinceReferenceDate: try readDouble())
    case .iso8601:
      let start = try valueStart()
      guard let moment = try withString({ RFC3339Date($0) }) else {
        throw invalid("A date must be written as RFC 3339 says, such as 2018-02-07T01:26:13Z.", at: start)
      }
      return Date(moment)
    }
  }

  /// Reads a number as a decimal, digit by digit.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/numberNotRepresentable`` if the number has more digits than `Decimal` holds
  ///   (38,
  ///   in some cases 39), or an exponent outside of -128 to 127.
  public mutating func readDecimal() throws -> Decimal {
    let start = try valueStart()
    guard let value = try withNumber({ ExactDecimal($0).map(Decimal.init) }) else {
      throw error(
        .numberNotRepresentable, at: start,
        "The number has more digits than Decimal holds, or an exponent beyond it.")
    }
    return value
  }

  /// Reads a string as a UUID.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidValue`` if the string is no UUID.
  public mutating func readUUID() throws -> UUID {
    let start = try valueStart()
    guard let value = UUID(uuidString: try readString()) else {
      throw invalid("A UUID must be written as 8-4-4-4-12 hexadecimal digits.", at: start)
    }
    return value
  }

  /// Reads a string as a URL.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidValue`` if the string is no URL.
  public mutating func readURL() throws -> URL {
    let start = try valueStart()
    guard let value = URL(string: try readString()) else {
      throw invalid("The string is no URL (RFC 3986).", at: start)
    }
    return value
  }

  /// Reads a string as data in base64 (RFC 4648, section 4).
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidValue`` if the string is no base64.
  public mutating func readData() throws -> Data {
    let start = try valueStart()
    guard let value = Data(base64Encoded: try readString()) else {
      throw invalid("The string is no base64 of the standard alphabet, with its padding.", at: start)
    }
    return value
  }
}

extension Date {
  init(_ moment: RFC3339Date) {
    // Each part is converted separately. For seconds of this century a double has 22 bits left for the fraction.
    self.init(timeIntervalSince1970: Double(moment.seconds) + Double(moment.nanoseconds) / 1e9)
  }
}

extension Decimal {
  init(_ digits: ExactDecimal) {
    var significand = Decimal(digits.low)
    if digits.high != 0 { significand += Decimal(digits.high) * (Decimal(UInt64.max) + 1) }
    self.init(sign: digits.isNegative ? .minus : .plus, exponent: digits.exponent, significand: significand)
  }
}

/// A date in ISO 8601, the default format. `readDate(_:)` reads other formats.
extension Date: JSONReadable {
  public init(reading reader: inout JSONReader) throws { self = try reader.readDate(.iso8601) }
}

extension Decimal: JSONReadable {
  public init(reading reader: inout JSONReader) throws { self = try reader.readDecimal() }
}

extension UUID: JSONReadable {
  public init(reading reader: inout JSONReader) throws { self = try reader.readUUID() }
}

extension URL: JSONReadable {
  public init(reading reader: inout JSONReader) throws { self = try reader.readURL() }
}

extension Data: JSONReadable {
  public init(reading reader: inout JSONReader) throws { self = try reader.readData() }
}

extension JSONReadable {
  /// Creates a value from a document in memory.
  ///
  /// - Throws: ``JSONError`` if the document is malformed, or does not match the type.
  public init(json data: Data, limits: JSONLimits = .wholeDocument) throws {
    guard Self.self is AnyObject.Type else {
      self = try data.withUnsafeBytes { try JSONReader.read($0, limits: limits) { try Self(reading: &$0) } }
      return
    }
    var reader = JSONReader(limits: limits, windowBytes: data.count)
    try data.withUnsafeBytes { try reader.feed($0) }
    reader.finish()
    try self.init(reading: &reader)
    try reader.finishDocument()
  }
}
