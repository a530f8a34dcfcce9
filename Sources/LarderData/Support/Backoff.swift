/// How long to wait before what has failed is tried again: 50 ms at first, then twice as long each time, and half a minute
/// at most.
struct Backoff {
  private var failures = 0
  /// Whether somebody waits already.
  private var isRetryScheduled = false

  /// It has failed.
  ///
  /// - Returns: After how many seconds it is to be tried again; nil where that is going to happen anyway.
  mutating func recordFailure() -> Double? {
    if isRetryScheduled { return nil }
    isRetryScheduled = true
    defer { failures += 1 }
    return min(0.05 * Double(1 << min(failures, 16)), 30)
  }

  /// The time has come.
  mutating func beginRetry() { isRetryScheduled = false }

  mutating func recordSuccess() { failures = 0 }
}
