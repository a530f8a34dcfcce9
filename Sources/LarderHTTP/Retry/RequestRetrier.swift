import Foundation

/// The attempts of one request.
struct RequestRetrier {
  let client: HTTPClient
  let budget: RetryBudget
  private(set) var request: HTTPRequest
  /// The number of attempts so far, including the current one.
  private(set) var attempts = 1
  /// Whether an earlier attempt may have been processed.
  private var mayHaveBeenProcessed = false
  /// The number of immediate retries after a closed idle connection.
  private var connectionRetries = 0
  /// The reason why there is no further attempt, although the policy allows one.
  private(set) var endReason: StaticString?

  /// 3: a server that closes each reused connection is not asked endlessly.
  private static let maximumConnectionRetries = 3

  init(of client: HTTPClient, budget: RetryBudget, request: HTTPRequest) {
    self.client = client
    self.budget = budget
    self.request = request
  }

  private var policy: RetryPolicy { client.storage.configuration.retry }
  private var dependencies: HTTPDependencies { client.storage.configuration.dependencies }

  func recordSuccess() { budget.deposit() }

  mutating func beginAttempt() { attempts += 1 }

  /// Records that the request was processed: further attempts only fetch the result, by a GET, which is harmless.
  mutating func recordCompletion() {
    mayHaveBeenProcessed = true
    request.isIdempotent = true
    request.body = nil
  }

  /// Drops the idempotency key: another origin received the request without the key, and could not recognize a repetition.
  mutating func recordLostIdempotencyKey() { request.idempotencyKey = nil }

  /// Returns the delivery of all attempts together, after this attempt's error.
  mutating func recordDelivery(after error: HTTPError) -> HTTPError.Delivery {
    switch error.delivery {
    case .notSent: return mayHaveBeenProcessed ? .maybeSent : .notSent
    case .maybeSent:
      mayHaveBeenProcessed = true
      return .maybeSent
    case .responded:
      // A request may have been processed before its response failed.
      if !RetryPolicy.unprocessedStatuses.contains(error.status ?? 0) { mayHaveBeenProcessed = true }
      return .responded
    }
  }

  /// Returns the wait before the next attempt, and the part of it that the server requires; nil if there is no further attempt.
  mutating func nextDelay(after error: HTTPError, elapsed: Duration) -> (duration: Duration, floor: Duration)? {
    guard policy.allowsRetry(after: error, for: request) else { return nil }
    if error.isStaleConnection, policy.attempts > 1, connectionRetries < Self.maximumConnectionRetries {
      // The server has no fault: it had closed an idle connection, or was about to. The first such retry costs no budget, since
      // all requests on a connection of HTTP/2 fail so together. None counts as an attempt, since a server that replaces its
      // processes closes one connection after the other.
      guard connectionRetries == 0 || budget.tryWithdraw() else { return end(because: Self.budgetExhausted) }
      connectionRetries += 1
      return (.zero, .zero)
    }
    guard attempts - connectionRetries < policy.attempts else { return nil }
    let drawn = policy.backoffLimit(after: attempts - connectionRetries - 1) * dependencies.random()
    var wait = drawn
    var floor = Duration.zero
    // The server of the credentials may ask the client to wait, too.
    let asking = error.kind == .credentialsUnavailable ? error.underlying as? HTTPError ?? error : error
    if let asked = RetryAfter(error: asking, now: dependencies.now())?.duration {
      guard asked <= policy.maximumRetryAfter else { return end(because: "the server asks to wait for too long") }
      // A minimum, with the jitter on top: all refused clients received the same time.
      wait = asked + drawn
      floor = asked
    }
    // After the wait the deadline would have passed: fail now.
    if let total = request.deadlines.total, elapsed + wait >= total {
      return end(because: "the total deadline would pass")
    }
    guard budget.tryWithdraw() else { return end(because: Self.budgetExhausted) }
    return (wait, floor)
  }

  private static let budgetExhausted: StaticString = "the host's budget is used up"

  private mutating func end(because reason: StaticString) -> (duration: Duration, floor: Duration)? {
    endReason = reason
    return nil
  }
}

extension HTTPError {
  /// Whether an idle connection was closed, so that another connection may work at once.
  fileprivate var isStaleConnection: Bool {
    switch kind {
    // "Maybe sent" after redirects, too: it is the last request in the chain that was not processed.
    case .maybeSent(.closedWhileIdle), .maybeSent(.notProcessed), .notSent(.notProcessed): true
    default: false
    }
  }
}
