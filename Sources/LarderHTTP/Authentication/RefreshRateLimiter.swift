/// A limit of refreshes within a time, since a server that refuses each new token would be asked endlessly.
struct RefreshRateLimiter {
  let limit: Int
  let window: Duration
  private var refreshTimes: [Duration] = []

  init(limit: Int, window: Duration) {
    self.limit = max(1, limit)
    self.window = window
  }

  /// Returns whether another refresh may begin.
  mutating func allowsRefresh(at now: Duration) -> Bool {
    refreshTimes.removeAll { now - $0 >= window }
    return refreshTimes.count < limit
  }

  /// Records a refresh that counts towards the limit.
  mutating func recordRefresh(at now: Duration) { refreshTimes.append(now) }

  /// Clears the count: a token was accepted, or the user has signed in.
  mutating func reset() { refreshTimes = [] }
}
