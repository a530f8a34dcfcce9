import Foundation

/// The attempts at one request.
struct RequestRetrier {
  let client: HTTPClient
  let budget: RetryBudget
  private(set) var request: HTTPRequest
  /// The attempts so far, the present one included.
  private(set) var attempts = 1
  /// Whether a former attempt may have been acted upon.
  private var mayHaveBeenProcessed = false
  /// How often it was begun anew for a kept connection that was closed.
  private var connectionRetries = 0
  /// Why there is no other attempt, though the policy has one.
  private(set) var endReason: StaticString?

  /// 3, so that who closes whatever is used again is not asked without end.
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

  /// What was asked for was done: from now on only the answer is asked for, by a GET, which does no harm.
  mutating func recordCompletion() {
    mayHaveBeenProcessed = true
    request.isIdempotent = true
    request.body = nil
  }

  /// It was sent where the key does not go, and by which nobody tells a second one from the first.
  mutating func recordLostIdempotencyKey() { request.idempotencyKey = nil }

  /// What is known after an attempt, of all attempts together.
  mutating func recordDelivery(after error: HTTPError) -> HTTPError.Delivery {
    switch error.delivery {
    case .notSent: return mayHaveBeenProcessed ? .maybeSent : .notSent
    case .maybeSent:
      mayHaveBeenProcessed = true
      return .maybeSent
    case .responded:
      // What failed while it answered may have acted before.
      if !RetryPolicy.unprocessedStatuses.contains(error.status ?? 0) { mayHaveBeenProcessed = true }
      return .responded
    }
  }

  /// How long to wait before the next attempt, and how much of that the server asks for; nil where there is to be none.
  mutating func nextDelay(after error: HTTPError, elapsed: Duration) -> (duration: Duration, floor: Duration)? {
    guard policy.allowsRetry(after: error, for: request) else { return nil }
    if error.isStaleConnection, policy.attempts > 1, connectionRetries < Self.maximumConnectionRetries {
      // Nothing is wrong with the server: it had closed a connection that was kept, or was about to. The first time is not of the budget,
      // since all the requests that a connection of HTTP/2 is shared by fail so together; none is of the attempts, since a
      // server that changes its processes tells one connection after the other to end.
      guard connectionRetries == 0 || budget.tryWithdraw() else { return end(because: Self.budgetExhausted) }
      connectionRetries += 1
      return (.zero, .zero)
    }
    guard attempts - connectionRetries < policy.attempts else { return nil }
    let drawn = policy.backoffLimit(after: attempts - connectionRetries - 1) * dependencies.random()
    var wait = drawn
    var floor = Duration.zero
    // The server that gives the credentials may ask to wait, too.
    let asking = error.kind == .credentialsUnavailable ? error.underlying as? HTTPError ?? error : error
    if let asked = RetryAfter(error: asking, now: dependencies.now())?.duration {
      guard asked <= policy.maximumRetryAfter else { return end(because: "the server asks to wait for too long") }
      // A floor, with the jitter above it: everybody who was refused was told the same time.
      wait = asked + drawn
      floor = asked
    }
    // Whoever waits would be told the same later.
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
  /// Whether it is a connection that has ended, and another one may serve at once.
  fileprivate var isStaleConnection: Bool {
    switch kind {
    // "Perhaps" also where redirects have led on: then it is the last of the requests that was not handled.
    case .maybeSent(.closedWhileIdle), .maybeSent(.notProcessed), .notSent(.notProcessed): true
    default: false
    }
  }
}
