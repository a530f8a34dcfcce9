/// Counts refreshes within a time: a server that refuses each new token would be asked for ever.
struct RefreshRateLimiter {
  let limit: Int
  let window: Duration
  private var refreshTimes: [Duration] = []

  init(limit: Int, window: Duration) {
    self.limit = max(1, limit)
    self.window = window
  }

  /// Whether another one may begin.
  mutating func allowsRefresh(at now: Duration) -> Bool {
    refreshTimes.removeAll { now - $0 >= window }
    return refreshTimes.count < limit
  }

  /// One that counts has ended.
  mutating func recordRefresh(at now: Duration) { refreshTimes.append(now) }

  /// What was noted means nothing any more: a token was accepted, or the user has signed in.
  mutating func reset() { refreshTimes = [] }
}
