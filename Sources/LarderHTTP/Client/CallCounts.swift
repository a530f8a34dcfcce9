/// Counts that a transport does not know, since they are made above it.
struct CallCounts: Sendable {
  /// The attempts so far, this one included.
  var attempts: Int
  /// The redirects that this attempt has followed.
  var redirects: Int
}

extension HTTPMetrics {
  /// Returns the metrics with the counts from above the transport.
  func with(_ counts: CallCounts) -> HTTPMetrics {
    var whole = self
    whole.attempts = counts.attempts
    whole.redirects = counts.redirects
    return whole
  }
}
