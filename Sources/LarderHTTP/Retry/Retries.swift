import Foundation

/// The attempts at one request.
struct Retries {
  let policy: RetryPolicy
  let environment: HTTPEnvironment
  let budget: RetryBudget
  let request: HTTPRequest
  /// The attempts so far, the present one included.
  private(set) var attempts = 1
  /// Whether a former attempt may have been acted upon.
  private var mayHaveArrived = false
  private var hasRenewed = false

  init(policy: RetryPolicy, environment: HTTPEnvironment, budget: RetryBudget, request: HTTPRequest) {
    self.policy = policy
    self.environment = environment
    self.budget = budget
    self.request = request
  }

  func succeeded() { budget.succeeded() }

  mutating func begin() { attempts += 1 }

  /// What is known after an attempt, of all attempts together.
  mutating func delivery(after error: HTTPError) -> HTTPError.Delivery {
    switch error.delivery {
    case .notSent: return mayHaveArrived ? .maybeSent : .notSent
    case .maybeSent:
      mayHaveArrived = true
      return .maybeSent
    case .answered: return .answered
    }
  }

  /// How long to wait before the next attempt, and how much of that the server asks for; nil where there is to be none.
  mutating func wait(after error: HTTPError, elapsed: Duration) -> (duration: Duration, floor: Duration)? {
    guard attempts < policy.attempts, policy.allows(error, for: request) else { return nil }
    let drawn = policy.longestWait(after: attempts - 1) * environment.random()
    var wait = drawn
    var floor = Duration.zero
    if error.kind == .maybeSent(.closedWhileIdle), !hasRenewed {
      // Nothing is wrong with the server: it had closed a connection that nobody used.
      hasRenewed = true
      wait = .zero
    }
    if let asked = ServerWait(error: error, now: environment.now())?.duration {
      guard asked <= policy.longestServerWait else { return nil }
      // A floor, with the jitter above it: everybody who was refused was told the same time.
      wait = asked + drawn
      floor = asked
    }
    if let total = request.deadlines.total, elapsed + wait >= total { return nil }
    guard budget.take() else { return nil }
    return (wait, floor)
  }
}
