public import Foundation

/// A transport of requests to a server: one attempt, without redirects and retries.
///
/// For each failure a transport states whether the server may have received the request (``HTTPError/delivery``). If it does
/// not know, it must assume so: a request that is "not sent" is sent again, whatever its method.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns when the head of its response has arrived.
  ///
  /// It runs in the caller's isolation, up to its first wait; a client calls it on no actor.
  ///
  /// The receiver of the response reads its body, or releases it, which ends the transfer. Cancelling the task ends the transfer
  /// too.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, with its body still to come.
  /// - Throws: ``HTTPError``.
  nonisolated(nonsending) func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse

  /// Returns the reason why a redirect must not be followed; nil, the default, if it may be.
  ///
  /// The client checks the rules of origins before: this is for the transport's own rules, such as pins.
  ///
  /// - Parameters:
  ///   - chain: The URLs so far: that of the request first, that of the redirecting server last.
  ///   - next: The URL of the redirect's target.
  func redirectFailure(along chain: [URL], to next: URL) -> RedirectFailure?
}

extension HTTPTransport {
  public func redirectFailure(along chain: [URL], to next: URL) -> RedirectFailure? { nil }
}
