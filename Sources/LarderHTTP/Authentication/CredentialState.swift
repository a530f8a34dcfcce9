/// The state of a bearer authentication, behind its lock.
struct CredentialState {
  /// A request that waits for a token.
  struct Waiter {
    typealias Continuation = CheckedContinuation<Result<CachedToken, HTTPError>, Never>

    let continuation: Continuation
    /// Ends the wait at its deadline.
    let timeout: Task<Void, any Error>?

    func resume(returning result: Result<CachedToken, HTTPError>) {
      timeout?.cancel()
      continuation.resume(returning: result)
    }
  }

  /// The token that a request needs.
  enum TokenRequirement {
    /// A token that has not expired.
    case unexpired
    /// A token newer than this refused one.
    case newer(than: Int)
  }

  /// A refresh or a sign-in in flight, and the requests that wait for its result.
  struct InFlightRefresh {
    let id: Int
    /// Whether a refusal caused the refresh.
    let isAfterRejection: Bool
    /// Whether this is a sign-in, whose own caller waits as well.
    var isSignIn = false
    var task: Task<Void, Never>?
    var waiters: [Int: Waiter] = [:]
    /// Ends the refresh some time after the last waiting request has left.
    var abandonmentTimer: Task<Void, Never>?
    /// Whether the refresh was cancelled and has not ended yet.
    var isCancelled = false
  }

  var currentToken: CachedToken?
  var inFlightRefresh: InFlightRefresh?
  /// The refreshes that did not help. After too many, the user must sign in.
  var refreshLimiter: RefreshRateLimiter
  /// The refreshes after refusals, whether they helped or not. After too many, a refusal is final.
  var rejectionLimiter: RefreshRateLimiter
  /// The number of the current login. A request of another login is not sent.
  private(set) var loginID = 0
  /// The operations on the source that have not ended: refreshes and others.
  var runningOperations: Set<Int> = []
  /// A task that ends together with the last operation.
  var lastOperation: Task<Void, Never>?
  private(set) var state = BearerAuthentication.State.ready
  /// The error for which the user needs to sign in, if there is one.
  private var signInReason: (any Error)?
  private(set) var stateObservers: [Int: AsyncStream<BearerAuthentication.State>.Continuation] = [:]
  private var lastID = 0

  init(refreshLimiter storm: RefreshRateLimiter) {
    self.refreshLimiter = storm
    rejectionLimiter = storm
  }

  /// Returns the next number for a token, a refresh, a waiting request or an observer.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// Returns the result that is known at once, or nil if the request must wait.
  func immediateResult(for need: TokenRequirement, login session: Int, at now: () -> Duration) -> Result<
    CachedToken, HTTPError
  >? {
    // A sign-in in flight is waited for: later requests belong to the new user.
    if state == .needsSignIn, inFlightRefresh?.isSignIn != true {
      return .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: signInReason))
    }
    guard session == self.loginID else { return .failure(.userChanged) }
    // While a refresh is in flight, the current token is known to be unusable.
    guard inFlightRefresh == nil, let currentToken, !currentToken.needsRefresh(at: now) else { return nil }
    switch need {
    case .unexpired: return .success(currentToken)
    case .newer(let number): return currentToken.id > number ? .success(currentToken) : nil
    }
  }

  /// Begins another login: requests belong to another user from now on, or to no user.
  mutating func beginLogin() { loginID += 1 }

  /// Clears the counts of refreshes, after a sign-in.
  mutating func resetLimiters() {
    refreshLimiter.reset()
    rejectionLimiter.reset()
  }

  mutating func transition(to new: BearerAuthentication.State, because reason: (any Error)? = nil) {
    self.signInReason = reason
    guard new != state else { return }
    state = new
    // Under the lock, so that all observers receive the changes in order.
    for watcher in stateObservers.values { watcher.yield(new) }
  }

  mutating func addObserver(_ watcher: AsyncStream<BearerAuthentication.State>.Continuation, id number: Int) {
    stateObservers[number] = watcher
    watcher.yield(state)
  }

  mutating func removeObserver(_ number: Int) { stateObservers[number] = nil }

  /// Removes the refresh in flight, and returns it.
  mutating func removeInFlightRefresh() -> InFlightRefresh? {
    defer { inFlightRefresh = nil }
    inFlightRefresh?.abandonmentTimer?.cancel()
    return inFlightRefresh
  }
}
