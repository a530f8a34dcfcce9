public import Foundation

/// What carries a request to a server: one attempt, no redirect followed, nothing retried.
///
/// A transport says of each failure whether the request may have been seen (``HTTPError/delivery``), and is in doubt
/// where it does not know: what says "not sent" is sent again, whatever its method.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns when the head of its response is there.
  ///
  /// It runs where it is called, up to where it waits; a client calls it on no actor.
  ///
  /// Whoever receives the response reads its body, or lets go of it, which ends the transfer. Cancelling the task ends
  /// the transfer too.
  nonisolated(nonsending) func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse

  /// Why a redirect must not be followed; nil, the default, where nothing speaks against it.
  ///
  /// What is known of origins is checked before: this is for what the transport alone knows, such as pins.
  ///
  /// - Parameters:
  ///   - chain: The addresses that have led there, that of the request first, that which redirects last.
  ///   - next: Where it leads.
  func redirectFailure(along chain: [URL], to next: URL) -> RedirectFailure?
}

extension HTTPTransport {
  public func redirectFailure(along chain: [URL], to next: URL) -> RedirectFailure? { nil }
}
