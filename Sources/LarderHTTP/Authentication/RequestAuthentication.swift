/// Shows who asks in a way of one's own: by a key, a signature, a token that comes from elsewhere.
///
/// ```swift
/// struct APIKey: RequestAuthentication {
///   let key: String
///
///   func authorize(_ request: inout HTTPRequest) async throws(HTTPError) {
///     request.headers["X-API-Key"] = key
///   }
/// }
///
/// configuration.authentication = .custom(APIKey(key: key))
/// ```
///
/// Fields that it adds or changes are secrets of the origin: a redirect to another one is not given them, and they are in
/// no description of the request.
public protocol RequestAuthentication: Sendable {
  /// Adds to a request what it needs. Called for each attempt, and anew for the replay after a challenge.
  ///
  /// The deadline for the whole request goes on meanwhile, but does not end this: what waits for somebody needs a limit of
  /// its own (``HTTPRequest/deadlines``). The same holds for ``shouldReplay(_:after:)``.
  ///
  /// - Throws: ``HTTPError``, with which the request fails: of the kind ``HTTPError/Kind/needsSignIn`` where only the
  ///   user can help.
  func authorize(_ request: inout HTTPRequest) async throws(HTTPError)

  /// The server has refused what a request has shown (401); `challenge` says what it wants (RFC 9110, section 11.6.1).
  ///
  /// Asked once for each call at most, and not where the request's body cannot be sent again.
  ///
  /// - Parameters:
  ///   - request: The request as it was sent.
  ///   - challenge: The refusal's head.
  /// - Returns: Whether to try once more; false, the default, makes the refusal the answer.
  func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool
}

extension RequestAuthentication {
  public func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool {
    false
  }
}
