import Foundation

/// How long a server asks to wait: `Retry-After` (RFC 9110, section 10.2.3), and the fields of rate limits.
struct ServerWait: Equatable {
  var duration: Duration
  /// Whether a limit says that nothing is left.
  var isExhausted = false

  /// Longer than any server means: what is later is taken for this.
  static let longest = Duration.seconds(366 * 86_400)

  init(duration: Duration, isExhausted: Bool = false) {
    self.duration = min(max(.zero, duration), Self.longest)
    self.isExhausted = isExhausted
  }

  /// What a response asks for; nil where it asks for nothing that can be read.
  init?(head: ResponseHead, now: Date) { self.init(headers: head.headers, now: now) }

  init?(error: HTTPError, now: Date) {
    guard error.status != nil else { return nil }
    self.init(headers: error.headers, now: now)
  }

  init?(headers: HTTPHeaders, now: Date) {
    let limit = Self.rateLimit(headers, now: now)
    if let retry = headers["Retry-After"].flatMap({ Self.retryAfter($0, now: now) }) {
      self.init(duration: retry, isExhausted: limit?.isExhausted ?? false)
    } else if let limit, limit.isExhausted {
      self = limit
    } else {
      return nil
    }
  }

  func date(from now: Date) -> Date {
    now.addingTimeInterval(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
  }

  /// Seconds, or a date. A date that has passed is no wait.
  static func retryAfter(_ field: String, now: Date) -> Duration? {
    let text = ASCIIText.trimmed(field)
    if !text.isEmpty, text.utf8.allSatisfy(ASCIIText.isDigit) {
      return ASCIIText.number(text).map { min(.seconds($0), longest) } ?? longest
    }
    return HTTPDate.date(text, now: now).map { duration(from: now, to: $0) }
  }

  private static func duration(from now: Date, to date: Date) -> Duration {
    let seconds = date.timeIntervalSince(now)
    guard seconds > 0 else { return .zero }
    return seconds < 366 * 86_400 ? .milliseconds(Int64((seconds * 1_000).rounded(.up))) : longest
  }

  /// `RateLimit-Remaining` and `RateLimit-Reset` (seconds) of the former drafts of draft-ietf-httpapi-ratelimit-headers,
  /// `RateLimit` of the later ones (`"default";r=0;t=30`), and `X-RateLimit-Reset`, which is a date in seconds since 1970
  /// where it is large, and seconds where it is small.
  private static func rateLimit(_ headers: HTTPHeaders, now: Date) -> ServerWait? {
    if let field = headers.list(for: "RateLimit") {
      let limits = field.split(separator: ",").compactMap { item -> ServerWait? in
        var remaining: Int64?
        var reset: Int64?
        for parameter in item.split(separator: ";") {
          let parts = parameter.split(separator: "=", maxSplits: 1)
          guard parts.count == 2 else { continue }
          switch ASCIIText.lowercased(ASCIIText.trimmed(parts[0])) {
          case "r", "remaining": remaining = ASCIIText.number(ASCIIText.trimmed(parts[1]))
          case "t", "reset": reset = ASCIIText.number(ASCIIText.trimmed(parts[1]))
          default: continue
          }
        }
        return reset.map { ServerWait(duration: .seconds($0), isExhausted: remaining == 0) }
      }
      if let longest = limits.filter(\.isExhausted).max(by: { $0.duration < $1.duration }) { return longest }
    }
    func number(_ name: String) -> Int64? { headers[name].flatMap { ASCIIText.number(ASCIIText.trimmed($0)) } }
    let isExhausted = (number("RateLimit-Remaining") ?? number("X-RateLimit-Remaining")) == 0
    if let seconds = number("RateLimit-Reset") {
      return ServerWait(duration: .seconds(seconds), isExhausted: isExhausted)
    }
    guard let reset = number("X-RateLimit-Reset") else { return nil }
    // No window is of fifteen years, and no server's clock stands before 1985.
    let isDate = reset > 473_385_600
    return ServerWait(
      duration: isDate ? duration(from: now, to: Date(timeIntervalSince1970: Double(reset))) : .seconds(reset),
      isExhausted: isExhausted)
  }
}
