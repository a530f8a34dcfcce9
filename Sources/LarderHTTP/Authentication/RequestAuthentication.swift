/// An authentication of your own: with a key, a signature, or a token from elsewhere.
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
/// The fields that it adds or changes are secrets of the origin: a redirect to another origin does not carry them, and they
/// are in no description of the request.
public protocol RequestAuthentication: Sendable {
  /// Adds credentials to a request. Called for each attempt, and again for the replay after a challenge.
  ///
  /// The total deadline of the request runs meanwhile, but does not end this function: a wait, such as for the user, needs a
  /// limit of its own (``HTTPRequest/deadlines``). The same holds for ``shouldReplay(_:after:)``.
  ///
  /// - Parameter request: The request to change.
  /// - Throws: ``HTTPError``, with which the request fails: of the kind ``HTTPError/Kind/needsSignIn`` if only the user can
  ///   help.
  func authorize(_ request: inout HTTPRequest) async throws(HTTPError)

  /// Returns whether to replay a request whose credentials the server has refused (401).
  ///
  /// Called at most once for each call, and not if the request's body cannot be sent again. The challenge names the
  /// credentials that the server accepts (RFC 9110, section 11.6.1).
  ///
  /// - Parameters:
  ///   - request: The request as it was sent.
  ///   - challenge: The head of the 401 response.
  /// - Returns: Whether to replay; with false, the default, the 401 is final.
  /// - Throws: ``HTTPError``, with which the request fails.
  func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool
}

extension RequestAuthentication {
  public func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool {
    false
  }
}
