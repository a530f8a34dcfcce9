/// Where tokens come from: what was stored, and a server that gives new ones.
///
/// ```swift
/// struct Session: BearerTokenSource {
///   let keychain: Keychain
///   let client: HTTPClient
///
///   func token() async throws -> BearerToken? { try keychain.accessToken() }
///
///   func refresh(_ old: BearerToken) async throws -> BearerToken {
///     guard let key = try keychain.refreshToken() else { throw CredentialsRejectedError() }
///     let answer = try await client.request(.refresh(key))
///     try keychain.store(answer)
///     return BearerToken(answer.accessToken, expiresIn: answer.expiresIn)
///   }
/// }
/// ```
///
/// A ``BearerAuthentication`` calls one of these at a time, and shares what comes of it. The endpoint that refreshes has no
/// authentication (``EndpointAuthentication/none``): with that of the client which waits for the token, the refresh would
/// wait for itself. It fails then, by ``InvalidRequest/recursiveAuthentication``. Nor may two sources ask by each other's
/// clients: each would wait for the other until a deadline ends it.
///
/// What they throw decides what follows:
/// - ``CredentialsRejectedError``, and an ``HTTPError`` that is a 401 or a 400 of the error `invalid_grant` (RFC 6749, section
///   5.2): the user needs to sign in.
/// - ``CredentialsUnavailableError``, an ``HTTPError`` of the network or of a server that has failed, and any `URLError`: the
///   requests that wait fail with ``HTTPError/Kind/noCredentials``, as not sent, and the next one tries again. Where
///   nothing of the refresh was sent either, and its own client has not tried several times, ``RetryPolicy`` does so by
///   itself.
/// - Anything else: the same, and it counts among the refreshes that ``BearerAuthentication`` limits.
public protocol BearerTokenSource: Sendable {
  /// The token at hand, stored by an earlier run, say; nil where the user is not signed in. Asked once, by the first
  /// request. One that has expired is refreshed.
  ///
  /// - Throws: ``CredentialsUnavailableError`` where what is stored cannot be read now, and anything else.
  func token() async throws -> BearerToken?

  /// A new token in the place of one that has expired or was refused.
  ///
  /// Finish what has begun, where the task is cancelled: a server may have taken the old refresh token back. Then end soon:
  /// who signs in or out waits for it.
  ///
  /// - Throws: ``CredentialsRejectedError``, ``CredentialsUnavailableError``, the ``HTTPError`` of the request, and anything else.
  func refresh(_ old: BearerToken) async throws -> BearerToken

  /// Whether the server takes a refresh token back when it is used, and gives another one (RFC 9700, section 4.14.2). By
  /// default not.
  ///
  /// ```swift
  /// var rotatesRefreshTokens: Bool { true }
  /// ```
  ///
  /// A refresh whose answer was lost may have been carried out. Where this is true it is never made again with the same
  /// refresh token, which a server takes for theft, and may end all the user's sessions for: the user needs to sign in, and
  /// ``HTTPError/underlying`` of the requests that wait is a ``RefreshResponseLostError``. Where it is false, these fail with
  /// ``HTTPError/Kind/noCredentials``, and the next request refreshes anew.
  ///
  /// Where this is true, whatever ``refresh(_:)`` throws is taken for that, also what comes of storing the answer, but for:
  /// ``CredentialsRejectedError``; ``CredentialsUnavailableError``, by which the source says that nothing was sent; an ``HTTPError``
  /// that was not sent, is a 4xx or a 503, or is a page in the place of JSON; and a `URLError` of a server that was not
  /// reached. So throw ``CredentialsUnavailableError`` where what is stored cannot be read, and nothing of that kind
  /// afterwards.
  var rotatesRefreshTokens: Bool { get }
}

extension BearerTokenSource {
  public var rotatesRefreshTokens: Bool { false }
}
