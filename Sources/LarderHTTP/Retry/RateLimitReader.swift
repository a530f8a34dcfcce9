import Foundation

/// The rate limits in a response's header, in the forms that servers send.
///
/// - `RateLimit-Remaining` and `RateLimit-Reset`, of draft-ietf-httpapi-ratelimit-headers up to the sixth version; and their
///   models, with the prefix `X-RateLimit-` or `X-Rate-Limit-`, and `X-RateLimit-Reset-After`.
/// - `RateLimit: limit=100, remaining=0, reset=50`, of the seventh.
/// - `RateLimit: "default";r=0;t=30`, of the later ones: a list of limits.
struct RateLimitReader {
  let headers: HTTPHeaders
  let now: Date

  /// The longest wait of an exhausted limit, or the wait of the only limit; nil without a limit.
  var retryAfter: RetryAfter? {
    if let field = headers.combinedValue(for: "RateLimit") {
      let limits = Self.limits(field)
      if let longest = limits.filter(\.isExhausted).max(by: { $0.duration < $1.duration }) { return longest }
    }
    for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
      guard let reset = resetDelay(prefix) else { continue }
      // Some servers count in fractions; less than one request is of no use.
      let remaining = ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"].lazy
        .compactMap { decimal($0 + "Remaining") }.first
      return RetryAfter(duration: reset, isExhausted: remaining.map { $0 < 1 } ?? false)
    }
    return nil
  }

  private func decimal(_ name: String) -> Double? {
    headers[name].flatMap { DecimalText.number(ASCIIText.trimmed($0)) }
  }

  /// Returns the time until a limit is reset: a small number is in seconds from now, a large one in seconds or milliseconds since
  /// 1970, and the field may also be a date.
  private func resetDelay(_ prefix: String) -> Duration? {
    if let field = headers[prefix + "Reset-After"], let wait = DecimalText.duration(ASCIIText.trimmed(field)) {
      return wait
    }
    guard let field = headers[prefix + "Reset"] else { return nil }
    let text = ASCIIText.trimmed(field)
    guard let number = DecimalText.number(text) else {
      let date = HTTPDate.date(text, now: now) ?? HTTPDate.lenientDate(text, now: now)
      return date.map { RetryAfter.duration(from: now, to: $0) }
    }
    if number >= Self.earliestMilliseconds, number < Self.latestMilliseconds {
      return RetryAfter.duration(from: now, to: Date(timeIntervalSince1970: number / 1_000))
    }
    guard number > Self.earliestSeconds else { return DecimalText.duration(text) }
    return RetryAfter.duration(from: now, to: Date(timeIntervalSince1970: number))
  }

  /// The year 1985: no window lasts fifteen years, and no server's clock is earlier.
  private static let earliestSeconds = 473_385_600.0
  /// In seconds, these are the years 5138 and 3168776; in milliseconds, 1973 and 5138.
  private static let earliestMilliseconds = 1e11
  private static let latestMilliseconds = 1e14

  /// Returns the limits of a list. Items without a name of their own (`limit=100, remaining=0, reset=50`) form one limit.
  private static func limits(_ field: String) -> [RetryAfter] {
    var limits: [RetryAfter] = []
    var (remaining, reset): (Double?, Duration?)
    func end() {
      if let reset { limits.append(RetryAfter(duration: reset, isExhausted: remaining.map { $0 < 1 } ?? false)) }
      (remaining, reset) = (nil, nil)
    }
    for item in field.split(separator: ",") {
      let parts = item.split(separator: ";")
      // An item without "=" at its beginning is a limit's name: a string or a token.
      if parts.first.map({ !$0.contains("=") }) ?? false { end() }
      for part in parts {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { continue }
        let value = ASCIIText.trimmed(pair[1])
        switch ASCIIText.lowercased(ASCIIText.trimmed(pair[0])) {
        case "limit": if remaining != nil, reset != nil { end() }
        case "r", "remaining": remaining = DecimalText.number(value)
        case "t", "reset": reset = DecimalText.duration(value)
        default: continue
        }
      }
      if parts.count > 1, !parts[0].contains("=") { end() }
    }
    end()
    return limits
  }
}

/// Decimal numbers in header fields: digits, and optionally a point with digits after it.
enum DecimalText {
  /// Returns a duration, or nil for other text. The number of digits is unlimited. Fractions of a thousandth are rounded up.
  static func duration(_ text: some StringProtocol, of unit: Duration = .seconds(1)) -> Duration? {
    guard let number = number(text) else { return nil }
    guard number < 1e12 else { return RetryAfter.maximumDuration }
    // From the digits: 299.997 is no binary fraction.
    let digits = text.drop { $0 != "." }.dropFirst()
    let isMore = digits.dropFirst(3).contains { $0 != "0" }
    let thousandths = (Int64(digits.prefix(3) + "000".dropFirst(min(3, digits.count))) ?? 0) + (isMore ? 1 : 0)
    return unit * Int64(number.rounded(.down)) + unit * thousandths / 1_000
  }

  static func number(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCIIText.isDigit) }) else {
      return nil
    }
    // More digits add no information, and a number of very many would be infinite.
    let whole = parts[0].drop { $0 == "0" }
    guard whole.utf8.count <= 18 else { return 1e18 }
    return Double((whole.isEmpty ? "0" : String(whole)) + (parts.count == 2 ? "." + parts[1].prefix(9) : ""))
  }
}
