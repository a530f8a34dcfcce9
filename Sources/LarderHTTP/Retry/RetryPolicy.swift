/// A policy of retries, and of the waits between them.
///
/// A wait is random, evenly distributed from zero up to `base · 2ⁿ` and at most `cap`: full jitter, so that clients that
/// failed together do not return together. The server's own wait (`Retry-After` and rate limits) is the minimum. This is the
/// only layer that retries; neither transport does.
///
/// ```swift
/// configuration.retry = RetryPolicy(attempts: 5, cap: .seconds(60))
/// configuration.retry = .never
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// The highest number of attempts, including the first.
  ///
  /// If an idle connection turns out to be closed, or the server has not processed the request
  /// (``ConnectionFailure/notProcessed``), the request is sent again at once, over another connection: up to three times in
  /// addition to this number, and not at all with a number of one. ``HTTPError/attempts`` counts all of them.
  public var attempts: Int
  /// The upper bound of the first wait.
  public var base: Duration
  /// The upper bound of all waits.
  public var cap: Duration
  /// The longest wait that a server may ask for. After a longer one, the request fails at once with the date.
  public var maximumRetryAfter: Duration
  /// The number of retries that a host may receive, for all requests together. Each success adds a tenth of a retry, and so does
  /// each second of the client's clock.
  public var budget: Int
  /// The statuses after which an idempotent request is retried.
  public var transientStatuses: Set<Int>

  /// Creates a policy.
  ///
  /// ```swift
  /// configuration.retry = RetryPolicy(attempts: 5, cap: .seconds(60))
  /// ```
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

  /// One attempt, without retries.
  public static let never = RetryPolicy(attempts: 1)

  /// 3: a failure three times within seconds lasts longer.
  public static let defaultAttempts = 3
  /// 0.5 s: longer than a proxy takes to notice a server's restart.
  public static let defaultBase = Duration.milliseconds(500)
  /// 20 s: a user waits for the response. Requests without a waiting user may have more.
  public static let defaultCap = Duration.seconds(20)
  /// 30 s, for the same reason.
  public static let defaultMaximumRetryAfter = Duration.seconds(30)
  /// 10: the additional load of a client on a failing server.
  public static let defaultBudget = 10
  /// Failures of a server or of a proxy before it, which may be over soon.
  public static let defaultTransientStatuses: Set<Int> = [500, 502, 503, 504]
}

extension RetryPolicy {
  /// The statuses that state that the request was not processed: any request may be sent again (RFC 9110, section 15.5.9;
  /// RFC 6585, section 4; RFC 8470, section 5.2).
  static let unprocessedStatuses: Set<Int> = [408, 425, 429]

  /// CURLE_OUT_OF_MEMORY, and since 8.6 CURLE_TOO_LARGE: libcurl also reports a header line that is too long so.
  static let libcurlMemoryCodes: Set<Int> = [27, 100]

  /// Returns whether another attempt is harmless, and may succeed.
  func allowsRetry(after error: HTTPError, for request: HTTPRequest) -> Bool {
    // The first attempt may have consumed a body that cannot be sent again.
    if let body = request.body, !body.isReplayable, error.delivery != .notSent { return false }
    let isRepeatable = request.isRepeatable
    switch error.kind {
    // By the delivery as well: a transport may report the connection's state in one and the request's in the other.
    case .notSent(.proxy) where error.proxy?.isPermanent == true: return false
    case .notSent(let failure): return (error.delivery == .notSent || isRepeatable) && failure.isTransient
    // Memory that is missing now will be missing the next time.
    case .interrupted(.other(let code)) where Self.libcurlMemoryCodes.contains(code): return false
    case .maybeSent(let failure), .interrupted(let failure): return isRepeatable && failure.isTransient
    case .deadline(.total): return false
    case .deadline: return error.delivery == .notSent || isRepeatable
    case .rateLimited: return isRepeatable || Self.unprocessedStatuses.contains(error.status ?? 0)
    case .unacceptableStatus(let status):
      return Self.unprocessedStatuses.contains(status) || (isRepeatable && transientStatuses.contains(status))
    case .credentialsUnavailable: return error.isTransientCredentialFailure
    // This attempt sent nothing; another one may go to the result's address.
    case .redirect(.alreadyProcessed): return isRepeatable
    case .invalidRequest, .unauthorized, .needsSignIn, .pinMismatch, .tooLarge, .notJSON, .noContent, .undecodable,
      .redirect, .cancelled, .file:
      return false
    }
  }

  /// Returns the upper bound of the wait after a number of retries.
  func backoffLimit(after retries: Int) -> Duration {
    guard base > .zero, base < cap else { return max(.zero, min(base, cap)) }
    var wait = base
    for _ in 0..<max(0, retries) {
      // Doubled no further than needed: the number of retries may be of any size.
      guard wait < cap else { break }
      wait += wait
    }
    return min(wait, cap)
  }
}

extension HTTPRequest {
  /// Whether the request may be sent again although it may have arrived.
  var isRepeatable: Bool { isIdempotent || idempotencyKey != nil }
}

extension ConnectionFailure {
  /// Whether the next attempt may succeed.
  var isTransient: Bool {
    switch self {
    case .untrustedCertificate, .requestBody, .shutDown, .contentCoding: false
    default: true
    }
  }
}
