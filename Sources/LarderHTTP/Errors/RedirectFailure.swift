/// Why a redirect was not followed.
public enum RedirectFailure: Sendable, Hashable {
  /// More than the limit.
  case tooMany(limit: Int)
  /// There is no place to go to, or it is no address: its host or its port can be none.
  case noLocation
  /// From HTTPS to HTTP.
  case insecure
  /// From a host that is pinned to one that is not (``KeyPins/allowsUnpinnedRedirects``).
  case unpinned(host: String)
  /// The body would have to be sent again, and cannot be.
  case bodyNotReplayable
  /// An interceptor has sent elsewhere what was done at an address that redirects to its answer, and what must not be done
  /// twice.
  case alreadyProcessed
}
