/// What a bearer authentication knows, behind its lock.
struct CredentialState {
  /// Who waits for a token.
  struct Waiter {
    typealias Continuation = CheckedContinuation<Result<CachedToken, HTTPError>, Never>

    let continuation: Continuation
    /// Ends the wait in time.
    let timeout: Task<Void, any Error>?

    func resume(returning result: Result<CachedToken, HTTPError>) {
      timeout?.cancel()
      continuation.resume(returning: result)
    }
  }

  /// What is wanted of the token.
  enum TokenRequirement {
    /// One that has not expired.
    case unexpired
    /// Another one than this, which was refused.
    case newer(than: Int)
  }

  /// A source that was asked, and who waits for its answer.
  struct InFlightRefresh {
    let id: Int
    /// Whether a refusal has asked for it.
    let isAfterRejection: Bool
    /// Whether somebody signs in, who waits for it, too.
    var isSignIn = false
    var task: Task<Void, Never>?
    var waiters: [Int: Waiter] = [:]
    /// Ends it when nobody waits any more.
    var abandonmentTimer: Task<Void, Never>?
    /// Whether it was, and has not ended yet.
    var isCancelled = false
  }

  var currentToken: CachedToken?
  var inFlightRefresh: InFlightRefresh?
  /// Refreshes without help: too many, and the user is asked.
  var refreshLimiter: RefreshRateLimiter
  /// Refreshes that refusals have asked for, of help or not: too many, and a refusal is the answer.
  var rejectionLimiter: RefreshRateLimiter
  /// Which user's requests are made; one of another session is not sent.
  private(set) var loginID = 0
  /// The works on the source that have not ended, flights and others.
  var runningOperations: Set<Int> = []
  /// Ends when the last of them has.
  var lastOperation: Task<Void, Never>?
  private(set) var state = BearerAuthentication.State.ready
  /// Why the user needs to sign in, where somebody has said so.
  private var signInReason: (any Error)?
  private(set) var stateObservers: [Int: AsyncStream<BearerAuthentication.State>.Continuation] = [:]
  private var lastID = 0

  init(refreshLimiter storm: RefreshRateLimiter) {
    self.refreshLimiter = storm
    rejectionLimiter = storm
  }

  /// The next number, of a token, a flight, a waiter or a watcher.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// What is known at once; nil where it is to be waited for.
  func immediateResult(for need: TokenRequirement, login session: Int, at now: () -> Duration) -> Result<
    CachedToken, HTTPError
  >? {
    // Whoever signs in just now is waited for: what is asked for from then on is theirs.
    if state == .needsSignIn, inFlightRefresh?.isSignIn != true {
      return .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: signInReason))
    }
    guard session == self.loginID else { return .failure(.userChanged) }
    // While another one is on its way, the one at hand is known to be of no use.
    guard inFlightRefresh == nil, let currentToken, !currentToken.needsRefresh(at: now) else { return nil }
    switch need {
    case .unexpired: return .success(currentToken)
    case .newer(let number): return currentToken.id > number ? .success(currentToken) : nil
    }
  }

  /// Another user's requests are made from now on, or nobody's.
  mutating func beginLogin() { loginID += 1 }

  /// The user has signed in: what was counted means nothing any more.
  mutating func resetLimiters() {
    refreshLimiter.reset()
    rejectionLimiter.reset()
  }

  mutating func transition(to new: BearerAuthentication.State, because reason: (any Error)? = nil) {
    self.signInReason = reason
    guard new != state else { return }
    state = new
    // Under the lock, so that everybody hears of changes in their order.
    for watcher in stateObservers.values { watcher.yield(new) }
  }

  mutating func addObserver(_ watcher: AsyncStream<BearerAuthentication.State>.Continuation, id number: Int) {
    stateObservers[number] = watcher
    watcher.yield(state)
  }

  mutating func removeObserver(_ number: Int) { stateObservers[number] = nil }

  /// Takes leave of what is on its way.
  mutating func removeInFlightRefresh() -> InFlightRefresh? {
    defer { inFlightRefresh = nil }
    inFlightRefresh?.abandonmentTimer?.cancel()
    return inFlightRefresh
  }
}
