/// What a transport cannot know of an exchange, since it is above it.
struct CallCounts: Sendable {
  /// The attempts so far, this one included.
  var attempts: Int
  /// The redirects that this attempt has followed.
  var redirects: Int
}

extension HTTPMetrics {
  /// The same, with what is counted above the transport.
  func with(_ counts: CallCounts) -> HTTPMetrics {
    var whole = self
    whole.attempts = counts.attempts
    whole.redirects = counts.redirects
    return whole
  }
}
