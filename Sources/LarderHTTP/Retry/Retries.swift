import Foundation

/// The attempts at one request.
struct Retries {
  let client: HTTPClient
  let budget: RetryBudget
  private(set) var request: HTTPRequest
  /// The attempts so far, the present one included.
  private(set) var attempts = 1
  /// Whether a former attempt may have been acted upon.
  private var mayHaveArrived = false
  /// How often it was begun anew for a kept connection that was closed.
  private var renewals = 0
  /// Why there is no other attempt, though the policy has one.
  private(set) var reasonToEnd: StaticString?

  /// 3, so that who closes whatever is used again is not asked without end.
  private static let mostRenewals = 3

  init(of client: HTTPClient, budget: RetryBudget, request: HTTPRequest) {
    self.client = client
    self.budget = budget
    self.request = request
  }

  private var policy: RetryPolicy { client.parts.configuration.retry }
  private var environment: HTTPEnvironment { client.parts.configuration.environment }

  func succeeded() { budget.succeeded() }

  mutating func begin() { attempts += 1 }

  /// What was asked for was done: from now on only the answer is asked for, by a GET, which does no harm.
  mutating func wasDone() {
    mayHaveArrived = true
    request.isIdempotent = true
    request.body = nil
  }

  /// It was sent where the key does not go, and by which nobody tells a second one from the first.
  mutating func wentWithoutKey() { request.idempotencyKey = nil }

  /// What is known after an attempt, of all attempts together.
  mutating func delivery(after error: HTTPError) -> HTTPError.Delivery {
    switch error.delivery {
    case .notSent: return mayHaveArrived ? .maybeSent : .notSent
    case .maybeSent:
      mayHaveArrived = true
      return .maybeSent
    case .answered:
      // What failed while it answered may have acted before.
      if !RetryPolicy.undoneStatuses.contains(error.status ?? 0) { mayHaveArrived = true }
      return .answered
    }
  }

  /// How long to wait before the next attempt, and how much of that the server asks for; nil where there is to be none.
  mutating func wait(after error: HTTPError, elapsed: Duration) -> (duration: Duration, floor: Duration)? {
    guard policy.allows(error, for: request) else { return nil }
    if error.saysNothingOfServer, policy.attempts > 1, renewals < Self.mostRenewals {
      // Nothing is wrong with the server: it had closed a connection that was kept, or was about to. The first time is not of the budget,
      // since all the requests that a connection of HTTP/2 is shared by fail so together; none is of the attempts, since a
      // server that changes its processes tells one connection after the other to end.
      guard renewals == 0 || budget.take() else { return ended(Self.budgetIsUsedUp) }
      renewals += 1
      return (.zero, .zero)
    }
    guard attempts - renewals < policy.attempts else { return nil }
    let drawn = policy.longestWait(after: attempts - renewals - 1) * environment.random()
    var wait = drawn
    var floor = Duration.zero
    // The server that gives the credentials may ask to wait, too.
    let asking = error.kind == .noCredentials ? error.underlying as? HTTPError ?? error : error
    if let asked = ServerWait(error: asking, now: environment.now())?.duration {
      guard asked <= policy.longestServerWait else { return ended("the server asks to wait for too long") }
      // A floor, with the jitter above it: everybody who was refused was told the same time.
      wait = asked + drawn
      floor = asked
    }
    // Whoever waits would be told the same later.
    if let total = request.deadlines.total, elapsed + wait >= total { return ended("the total deadline would pass") }
    guard budget.take() else { return ended(Self.budgetIsUsedUp) }
    return (wait, floor)
  }

  private static let budgetIsUsedUp: StaticString = "the host's budget is used up"

  private mutating func ended(_ reason: StaticString) -> (duration: Duration, floor: Duration)? {
    reasonToEnd = reason
    return nil
  }
}

extension HTTPError {
  /// Whether it is a connection that has ended, and another one may serve at once.
  fileprivate var saysNothingOfServer: Bool {
    switch kind {
    // "Perhaps" also where redirects have led on: then it is the last of the requests that was not handled.
    case .maybeSent(.closedWhileIdle), .maybeSent(.notHandled), .notSent(.notHandled): true
    default: false
    }
  }
}
