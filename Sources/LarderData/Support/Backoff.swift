/// The delay before a failed operation is retried: 50 ms at first, then twice as long each time, and 30 seconds at most.
struct Backoff {
  private var failures = 0
  /// Whether a retry is scheduled already.
  private var isRetryScheduled = false

  /// Records a failure.
  ///
  /// - Returns: The delay in seconds until the retry; nil where a retry is scheduled already.
  mutating func recordFailure() -> Double? {
    if isRetryScheduled { return nil }
    isRetryScheduled = true
    defer { failures += 1 }
    return min(0.05 * Double(1 << min(failures, 16)), 30)
  }

  /// Marks the scheduled retry as begun.
  mutating func beginRetry() { isRetryScheduled = false }

  mutating func recordSuccess() { failures = 0 }
}
