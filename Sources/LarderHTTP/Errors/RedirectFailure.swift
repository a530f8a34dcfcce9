/// The reason why a redirect was not followed.
public enum RedirectFailure: Sendable, Hashable {
  /// There were more redirects than the limit.
  case tooMany(limit: Int)
  /// The redirect has no `Location`, or one that is no valid URL: it has an invalid host or port.
  case noLocation
  /// The redirect goes from HTTPS to HTTP.
  case insecure
  /// The redirect goes from a pinned host to one without pins (``KeyPins/allowsUnpinnedRedirects``).
  case unpinned(host: String)
  /// The body would have to be sent again, and is not replayable.
  case bodyNotReplayable
  /// An interceptor has sent a request to another address after it was processed at an address that redirects to the result, and
  /// the request must not be processed twice.
  case alreadyProcessed
}
