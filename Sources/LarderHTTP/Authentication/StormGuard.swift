/// Counts refreshes within a time: a server that refuses each new token would be asked for ever.
struct StormGuard {
  let limit: Int
  let window: Duration
  private var times: [Duration] = []

  init(limit: Int, window: Duration) {
    self.limit = max(1, limit)
    self.window = window
  }

  /// Whether another one may begin.
  mutating func allows(at now: Duration) -> Bool {
    times.removeAll { now - $0 >= window }
    return times.count < limit
  }

  /// One that counts has ended.
  mutating func note(at now: Duration) { times.append(now) }

  /// What was noted means nothing any more: a token was accepted, or the user has signed in.
  mutating func reset() { times = [] }
}
