import Foundation

extension DecodingState {
  @inline(__always)
  func entry(_ value: TapeValue) -> TapeEntry {
    if _slowPath(value.index == Tape.noIndex) { return TapeEntry(offset: 0, length: 0, kind: .null) }
    return entries[Int(value.index)]
  }

  @inline(__always)
  func isNull(_ value: TapeValue) -> Bool { entry(value).kind == .null }

  @inline(__always)
  func bool(_ value: TapeValue) throws -> Bool {
    switch entry(value).kind {
    case .trueLiteral: return true
    case .falseLiteral: return false
    default: throw mismatch(Bool.self, value)
    }
  }

  @inline(__always)
  func string(_ value: TapeValue) throws -> String {
    let entry = entry(value)
    guard entry.kind == .string else { throw mismatch(String.self, value) }
    return string(entry)
  }

  // MARK: Numbers

  @inline(__always)
  private func number(_ value: TapeValue, _ type: any Any.Type) throws -> NumberScan {
    let entry = entry(value)
    guard entry.kind == .number else { throw mismatch(type, value) }
    return NumberScan(checked: text(entry))
  }

  @inline(__always)
  func integer<Integer: FixedWidthInteger>(_ value: TapeValue) throws -> Integer {
    let scan = try number(value, Integer.self)
    if let magnitude = scan.magnitude {
      if !scan.isNegative {
        if let integer = Integer(exactly: magnitude) { return integer }
      } else if magnitude <= UInt64(Int64.max), let integer = Integer(exactly: -Int64(magnitude)) {
        return integer
      } else if magnitude == Int64.min.magnitude, let integer = Integer(exactly: Int64.min) {
        return integer
      }
    }
    throw notRepresentable(Integer.self, value)
  }

  func wideInteger<Integer: FixedWidthInteger>(_ value: TapeValue) throws -> Integer {
    let entry = entry(value)
    guard entry.kind == .number else { throw mismatch(Integer.self, value) }
    guard let integer = ExactDecimal(text(entry))?.integer(Integer.self) else {
      throw notRepresentable(Integer.self, value)
    }
    return integer
  }

  @inline(__always)
  func double(_ value: TapeValue) throws -> Double {
    let entry = entry(value)
    guard entry.kind == .number else {
      return try nonConformingFloat(value, entry, Double.self) ?? { throw mismatch(Double.self, value) }()
    }
    let scan = NumberScan(checked: text(entry))
    if _fastPath(scan.mantissa <= 1 << 53 && !scan.isTruncated && scan.exponent.magnitude <= 22) {
      let digits = Double(Int64(bitPattern: scan.mantissa))
      let power = PowersOfTen.exact[Int(scan.exponent.magnitude)]
      let double = scan.exponent < 0 ? digits / power : digits * power
      return scan.isNegative ? -double : double
    }
    guard let double = DecimalToBinary.double(scan, text(entry)) else { throw notRepresentable(Double.self, value) }
    return double
  }

  func float(_ value: TapeValue) throws -> Float {
    let entry = entry(value)
    guard entry.kind == .number else {
      return try nonConformingFloat(value, entry, Float.self) ?? { throw mismatch(Float.self, value) }()
    }
    guard let float = DecimalToBinary.float(NumberScan(checked: text(entry)), text(entry)) else {
      throw notRepresentable(Float.self, value)
    }
    return float
  }

  /// Returns infinity or not-a-number, if the strategy allows strings for them and the value is one of these strings.
  private func nonConformingFloat<Value: BinaryFloatingPoint>(
    _ value: TapeValue, _ entry: TapeEntry, _ type: Value.Type
  ) throws
    -> Value?
  {
    guard case .convertFromString(let positive, let negative, let nan) = options.float, entry.kind == .string else {
      return nil
    }
    switch string(entry) {
    case positive: return .infinity
    case negative: return -.infinity
    case nan: return .nan
    default: return nil
    }
  }

  // MARK: Types of Foundation

  func decimal(_ value: TapeValue) throws -> Decimal {
    let entry = entry(value)
    guard entry.kind == .number else { throw mismatch(Decimal.self, value) }
    guard let digits = ExactDecimal(text(entry)) else { throw notRepresentable(Decimal.self, value) }
    return Decimal(digits)
  }

  func url(_ value: TapeValue) throws -> URL {
    if isNull(value) { throw mismatch(URL.self, value) }
    guard let url = URL(string: try string(value)) else { throw corrupted(value, "Invalid URL string.") }
    return url
  }

  func date(_ value: TapeValue) throws -> Date {
    if isNull(value) { throw mismatch(Date.self, value) }
    switch options.date {
    case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(value))
    case .secondsSince1970: return Date(timeIntervalSince1970: try double(value))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(value) / 1_000)
    case .iso8601: return try rfc3339Date(value)
    #if canImport(Darwin)
      // Other platforms handle this strategy as a custom one.
      case .formatted(let formatter):
        guard let date = formatter.date(from: try string(value)) else {
          throw corrupted(value, "Date string does not match format expected by formatter.")
        }
        return date
    #endif
    case .custom(let read): return try read(ValueDecoder(state: self, value: value))
    @unknown default: return try Date(from: ValueDecoder(state: self, value: value))
    }
  }

  private func rfc3339Date(_ value: TapeValue) throws -> Date {
    let text = try string(value)
    // The usual form, for which both calendars and both parsers agree. Foundation parses every other form.
    if let moment = text.utf8.withContiguousStorageIfAvailable({ RFC3339Date($0) }) ?? nil, !moment.hasFraction,
      moment.seconds >= DecodingState.firstGregorianDay, text.utf8.count == 20, text.hasSuffix("Z"), text.contains("T")
    {
      return Date(moment)
    }
    guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
      throw corrupted(value, "Expected date string to be ISO8601-formatted.")
    }
    return date
  }

  /// 15 October 1582: for earlier dates Foundation uses the Julian calendar.
  private static let firstGregorianDay: Int64 = -12_219_292_800

  func data(_ value: TapeValue) throws -> Data {
    if isNull(value) { throw mismatch(Data.self, value) }
    switch options.data {
    case .deferredToData: return try Data(from: ValueDecoder(state: self, value: value))
    case .base64:
      guard let data = Data(base64Encoded: try string(value)) else {
        throw corrupted(value, "Encountered Data is not valid Base64.")
      }
      return data
    case .custom(let read): return try read(ValueDecoder(state: self, value: value))
    @unknown default: return try Data(from: ValueDecoder(state: self, value: value))
    }
  }

  // MARK: Errors

  @inline(never)
  func mismatch(_ type: any Any.Type, _ value: TapeValue) -> DecodingError {
    let kind = entry(value).kind
    let path = codingPath(of: value)
    if kind == .null {
      let error = error(.valueNotFound, at: value)
      return .valueNotFound(
        type, context(path, "Cannot get value of type \(type) -- found null value instead", error))
    }
    let error = error(.typeMismatch, at: value)
    return .typeMismatch(type, context(path, "Expected to decode \(type) but found \(kind.phrase) instead.", error))
  }

  @inline(never)
  private func notRepresentable(_ type: any Any.Type, _ value: TapeValue) -> DecodingError {
    .dataCorrupted(
      context(
        codingPath(of: value), "The number does not fit in \(type).", error(.numberNotRepresentable, at: value)))
  }

  @inline(never)
  func corrupted(_ value: TapeValue, _ message: String) -> DecodingError {
    .dataCorrupted(context(codingPath(of: value), message, error(.invalidValue, at: value)))
  }

  func context(_ path: [any CodingKey], _ message: String, _ error: JSONError) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: path, debugDescription: "\(message) (line \(error.line), column \(error.column))",
      underlyingError: error)
  }
}

extension TapeKind {
  var phrase: String {
    switch self {
    case .object: "a dictionary"
    case .array: "an array"
    case .string: "a string"
    case .number: "number"
    case .trueLiteral, .falseLiteral: "bool"
    case .null: "null"
    case .key, .parent: "a key"
    }
  }
}

extension NumberScan {
  /// Creates a number from text that has already been validated.
  @inline(__always)
  init(checked text: UnsafeBufferPointer<UInt8>) {
    var mantissa: UInt64 = 0
    var digits = 0
    var point = -1
    var index = 0
    self.init(end: text.baseAddress ?? Window.emptyBuffer)
    if text[0] == ASCIIByte.minus {
      isNegative = true
      index = 1
    }
    while index < text.count {
      let byte = text[index]
      let digit = byte &- ASCIIByte.zero
      if digit <= 9 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        digits += 1
      } else if byte == ASCIIByte.point {
        point = digits
      } else {
        break
      }
      index += 1
    }
    if _slowPath(digits > NumberScan.safeDigits || index < text.count) {
      self.init(long: text)
      return
    }
    self.mantissa = mantissa
    if point >= 0 {
      exponent = point - digits
      isInteger = false
    }
  }

  /// Creates a number with an exponent, or of many digits.
  @inline(never)
  private init(long text: UnsafeBufferPointer<UInt8>) {
    let start = text.baseAddress ?? Window.emptyBuffer
    let reader = JSONReader(borrowing: text, limits: .wholeDocumentOfAnyNumber)
    // The text has been validated, so this cannot throw.
    self = (try? reader.scanNumber(start)) ?? NumberScan(end: start)
  }
}

extension JSONLimits {
  fileprivate static let wholeDocumentOfAnyNumber: JSONLimits = {
    var limits = JSONLimits.wholeDocument
    limits.maximumNumberBytes = .max
    return limits
  }()
}
