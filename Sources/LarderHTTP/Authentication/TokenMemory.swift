/// What a bearer authentication knows, behind its lock.
struct TokenMemory {
  /// Who waits for a token.
  struct Waiter {
    typealias Continuation = CheckedContinuation<Result<HeldToken, HTTPError>, Never>

    let continuation: Continuation
    /// Ends the wait in time.
    let deadline: Task<Void, any Error>?

    func resume(returning result: Result<HeldToken, HTTPError>) {
      deadline?.cancel()
      continuation.resume(returning: result)
    }
  }

  /// What is wanted of the token.
  enum Need {
    /// One that has not expired.
    case usable
    /// Another one than this, which was refused.
    case newer(than: Int)
  }

  /// A source that was asked, and who waits for its answer.
  struct Flight {
    let number: Int
    /// Whether a refusal has asked for it.
    let isAfterRefusal: Bool
    /// Whether somebody signs in, who waits for it, too.
    var isSignIn = false
    var task: Task<Void, Never>?
    var waiters: [Int: Waiter] = [:]
    /// Ends it when nobody waits any more.
    var watch: Task<Void, Never>?
    /// Whether it was, and has not ended yet.
    var isCancelled = false
  }

  var held: HeldToken?
  var flight: Flight?
  /// Refreshes without help: too many, and the user is asked.
  var storm: StormGuard
  /// Refreshes that refusals have asked for, of help or not: too many, and a refusal is the answer.
  var refusals: StormGuard
  /// Which user's requests are made; one of another session is not sent.
  private(set) var session = 0
  /// The works on the source that have not ended, flights and others.
  var running: Set<Int> = []
  /// Ends when the last of them has.
  var tail: Task<Void, Never>?
  private(set) var state = BearerAuthentication.State.ready
  /// Why the user needs to sign in, where somebody has said so.
  private var reason: (any Error)?
  private(set) var watchers: [Int: AsyncStream<BearerAuthentication.State>.Continuation] = [:]
  private var count = 0

  init(storm: StormGuard) {
    self.storm = storm
    refusals = storm
  }

  /// The next number, of a token, a flight, a waiter or a watcher.
  mutating func number() -> Int {
    count += 1
    return count
  }

  /// What is known at once; nil where it is to be waited for.
  func answer(to need: Need, of session: Int, at now: () -> Duration) -> Result<HeldToken, HTTPError>? {
    // Whoever signs in just now is waited for: what is asked for from then on is theirs.
    if state == .needsSignIn, flight?.isSignIn != true {
      return .failure(HTTPError(.needsSignIn, delivery: .notSent, underlying: reason))
    }
    guard session == self.session else { return .failure(.anotherUserSignedIn) }
    // While another one is on its way, the one at hand is known to be of no use.
    guard flight == nil, let held, !held.isDue(at: now) else { return nil }
    switch need {
    case .usable: return .success(held)
    case .newer(let number): return held.number > number ? .success(held) : nil
    }
  }

  /// Another user's requests are made from now on, or nobody's.
  mutating func beginSession() { session += 1 }

  /// The user has signed in: what was counted means nothing any more.
  mutating func reset() {
    storm.reset()
    refusals.reset()
  }

  mutating func become(_ new: BearerAuthentication.State, because reason: (any Error)? = nil) {
    self.reason = reason
    guard new != state else { return }
    state = new
    // Under the lock, so that everybody hears of changes in their order.
    for watcher in watchers.values { watcher.yield(new) }
  }

  mutating func watch(_ watcher: AsyncStream<BearerAuthentication.State>.Continuation, as number: Int) {
    watchers[number] = watcher
    watcher.yield(state)
  }

  mutating func unwatch(_ number: Int) { watchers[number] = nil }

  /// Takes leave of what is on its way.
  mutating func endFlight() -> Flight? {
    defer { flight = nil }
    flight?.watch?.cancel()
    return flight
  }
}
