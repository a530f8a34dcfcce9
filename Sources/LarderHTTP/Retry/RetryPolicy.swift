/// When a request is tried again, and how long that waits.
///
/// A wait is drawn evenly from nothing up to `base · 2ⁿ`, at most `cap`: full jitter, so that clients which failed
/// together do not come back together. What the server asks for (`Retry-After` and rate limits) is the least that is
/// waited. This is the only layer that tries again; neither transport does.
///
/// ```swift
/// configuration.retry = RetryPolicy(attempts: 5, cap: .seconds(60))
/// configuration.retry = .never
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// How many attempts are made at most, the first included.
  ///
  /// Where a kept connection turns out to be closed, or its server has not handled the request
  /// (``ConnectionFailure/notProcessed``), the request is begun anew at once, over another one; up to three times
  /// beyond these, and not at all where there is one attempt alone. All are counted in ``HTTPError/attempts``.
  public var attempts: Int
  /// What the first wait is drawn from.
  public var base: Duration
  /// The longest wait that is drawn.
  public var cap: Duration
  /// The longest wait that a server may ask for. Where it asks for more, the request fails at once with the date.
  public var maximumRetryAfter: Duration
  /// How many attempts beyond the first a host may cost, all requests together; each success gives a tenth of one
  /// back, and so does each second of the client's clock.
  public var budget: Int
  /// Statuses after which an idempotent request is tried again.
  public var transientStatuses: Set<Int>

  public init(
    attempts: Int = RetryPolicy.defaultAttempts, base: Duration = RetryPolicy.defaultBase,
    cap: Duration = RetryPolicy.defaultCap,
    maximumRetryAfter longestServerWait: Duration = RetryPolicy.defaultMaximumRetryAfter,
    budget: Int = RetryPolicy.defaultBudget, transientStatuses: Set<Int> = RetryPolicy.defaultTransientStatuses
  ) {
    self.attempts = attempts
    self.base = base
    self.cap = cap
    self.maximumRetryAfter = longestServerWait
    self.budget = budget
    self.transientStatuses = transientStatuses
  }

  /// One attempt.
  public static let never = RetryPolicy(attempts: 1)

  /// 3: what fails three times within seconds has failed for longer.
  public static let defaultAttempts = 3
  /// 0.5 s: longer than a server's restart behind a proxy takes to be noticed.
  public static let defaultBase = Duration.milliseconds(500)
  /// 20 s: somebody waits for the answer. What nobody waits for may have more.
  public static let defaultCap = Duration.seconds(20)
  /// 30 s, for the same reason.
  public static let defaultMaximumRetryAfter = Duration.seconds(30)
  /// 10: what a client may add to the load of a server that fails.
  public static let defaultBudget = 10
  /// Failures of a server or of something before it, which may be over.
  public static let defaultTransientStatuses: Set<Int> = [500, 502, 503, 504]
}

extension RetryPolicy {
  /// Statuses by which a server says that it has not acted: any request may be sent again (RFC 9110, section 15.5.9;
  /// RFC 6585, section 4; RFC 8470, section 5.2).
  static let unprocessedStatuses: Set<Int> = [408, 425, 429]

  /// CURLE_OUT_OF_MEMORY, and from 8.6 on CURLE_TOO_LARGE: libcurl says so of a line of a header that is too long as well.
  static let libcurlMemoryCodes: Set<Int> = [27, 100]

  /// Whether another attempt does no harm, and may help.
  func allowsRetry(after error: HTTPError, for request: HTTPRequest) -> Bool {
    // The first attempt may have used a body up that cannot be made again.
    if let body = request.body, !body.isReplayable, error.delivery != .notSent { return false }
    let isRepeatable = request.isRepeatable
    switch error.kind {
    // By the delivery as well: a transport may say one thing of the connection, and another of the request.
    case .notSent(.proxy) where error.proxy?.isPermanent == true: return false
    case .notSent(let failure): return (error.delivery == .notSent || isRepeatable) && failure.isTransient
    // What there is no memory for has none the next time.
    case .interrupted(.other(let code)) where Self.libcurlMemoryCodes.contains(code): return false
    case .maybeSent(let failure), .interrupted(let failure): return isRepeatable && failure.isTransient
    case .deadline(.total): return false
    case .deadline: return error.delivery == .notSent || isRepeatable
    case .rateLimited: return isRepeatable || Self.unprocessedStatuses.contains(error.status ?? 0)
    case .unacceptableStatus(let status):
      return Self.unprocessedStatuses.contains(status) || (isRepeatable && transientStatuses.contains(status))
    case .credentialsUnavailable: return error.isTransientCredentialFailure
    // Nothing was sent by this attempt; another may go where the answer is.
    case .redirect(.alreadyProcessed): return isRepeatable
    case .invalidRequest, .unauthorized, .needsSignIn, .pinMismatch, .tooLarge, .notJSON, .noContent, .undecodable,
      .redirect, .cancelled, .file:
      return false
    }
  }

  /// The longest that is drawn for a wait, `retries` of which were before it.
  func backoffLimit(after retries: Int) -> Duration {
    guard base > .zero, base < cap else { return max(.zero, min(base, cap)) }
    var wait = base
    for _ in 0..<max(0, retries) {
      // Doubled no further than needed: a count of retries may be of any size.
      guard wait < cap else { break }
      wait += wait
    }
    return min(wait, cap)
  }
}

extension HTTPRequest {
  /// Whether it may be sent again though it may have arrived.
  var isRepeatable: Bool { isIdempotent || idempotencyKey != nil }
}

extension ConnectionFailure {
  /// Whether the next attempt may go better.
  var isTransient: Bool {
    switch self {
    case .untrustedCertificate, .requestBody, .shutDown, .contentCoding: false
    default: true
    }
  }
}
