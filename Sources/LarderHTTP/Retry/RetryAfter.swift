import Foundation

/// The time that a server asks the client to wait: `Retry-After` (RFC 9110, section 10.2.3), and the fields of rate limits.
struct RetryAfter: Equatable {
  var duration: Duration
  /// Whether a limit is exhausted.
  var isExhausted = false

  /// 366 days: longer than any server intends; a longer wait is reduced to this.
  static let maximumDuration = Duration.seconds(366 * 86_400)

  init(duration: Duration, isExhausted: Bool = false) {
    self.duration = min(max(.zero, duration), Self.maximumDuration)
    self.isExhausted = isExhausted
  }

  /// Creates the wait of a response; nil if it asks for none that can be read.
  init?(head: ResponseHead, now: Date) { self.init(headers: head.headers, now: now) }

  init?(error: HTTPError, now: Date) {
    guard error.status != nil else { return nil }
    self.init(headers: error.headers, now: now)
  }

  init?(headers: HTTPHeaders, now: Date) {
    let limit = RateLimitReader(headers: headers, now: now).retryAfter
    if let retry = Self.fieldDuration(in: headers, now: now) {
      self.init(duration: retry, isExhausted: limit?.isExhausted ?? false)
    } else if let limit, limit.isExhausted {
      self = limit
    } else {
      return nil
    }
  }

  /// Returns the wait of an explicit field. `Retry-After-Ms` is more precise if a server sends both (`x-ms-` is Azure's).
  private static func fieldDuration(in headers: HTTPHeaders, now: Date) -> Duration? {
    for name in ["Retry-After-Ms", "X-Ms-Retry-After-Ms"] {
      if let wait = headers[name].flatMap({ DecimalText.duration(ASCIIText.trimmed($0), of: .milliseconds(1)) }) {
        return min(wait, maximumDuration)
      }
    }
    return headers["Retry-After"].flatMap { duration(ofField: $0, now: now) }
  }

  func date(from now: Date) -> Date {
    now.addingTimeInterval(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
  }

  /// Returns the duration of seconds, with a fraction as some servers send it, or until a date. A past date means no wait.
  static func duration(ofField field: String, now: Date) -> Duration? {
    let text = ASCIIText.trimmed(field)
    if let seconds = DecimalText.duration(text) { return min(seconds, maximumDuration) }
    return (HTTPDate.date(text, now: now) ?? HTTPDate.lenientDate(text, now: now)).map { duration(from: now, to: $0) }
  }

  static func duration(from now: Date, to date: Date) -> Duration {
    let seconds = date.timeIntervalSince(now)
    guard seconds > 0 else { return .zero }
    return seconds < 366 * 86_400 ? .milliseconds(Int64((seconds * 1_000).rounded(.up))) : maximumDuration
  }
}
