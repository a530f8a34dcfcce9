/// A source of tokens: stored credentials, and a server that grants new tokens.
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
/// A ``BearerAuthentication`` makes one call at a time, and shares the result. The refresh endpoint must have no
/// authentication (``EndpointAuthentication/none``): with that of the client that waits for the token, the refresh would wait
/// for itself, and fails with ``InvalidRequest/recursiveAuthentication``. Nor may two sources use each other's clients: each
/// would wait for the other until a deadline.
///
/// The error that a source throws decides the outcome:
/// - ``CredentialsRejectedError``, and an ``HTTPError`` with the status 401, or 400 with the error `invalid_grant` (RFC 6749,
///   section 5.2): the user needs to sign in.
/// - ``CredentialsUnavailableError``, an ``HTTPError`` of the network or of a failed server, and any `URLError`: the waiting
///   requests fail with ``HTTPError/Kind/credentialsUnavailable``, as not sent, and the next request tries again. If no part
///   of the refresh was sent either, and its own client has not tried several times, ``RetryPolicy`` retries the requests.
/// - Any other error: the same, and it counts as a refresh towards the limit of ``BearerAuthentication``.
public protocol BearerTokenSource: Sendable {
  /// Returns the stored access token, or nil if the user is signed out. Called once, before the first request. An expired
  /// token is refreshed.
  ///
  /// - Throws: ``CredentialsUnavailableError`` if the stored token cannot be read now, or any other error.
  func token() async throws -> BearerToken?

  /// Returns a new token in place of an expired or refused one.
  ///
  /// If the task is cancelled, finish a request that was sent, since the server may have revoked the old refresh token. Then
  /// return soon: sign-in and sign-out wait for this.
  ///
  /// - Parameter old: The token to replace.
  /// - Throws: ``CredentialsRejectedError``, ``CredentialsUnavailableError``, the ``HTTPError`` of the request, or any other error.
  func refresh(_ old: BearerToken) async throws -> BearerToken

  /// Whether the server revokes a refresh token when it is used, and returns another one (RFC 9700, section 4.14.2). The
  /// default is false.
  ///
  /// ```swift
  /// var rotatesRefreshTokens: Bool { true }
  /// ```
  ///
  /// A refresh whose response was lost may have been carried out. If this is true, it is never repeated with the same refresh
  /// token, since a server takes that for theft and may end all the user's sessions: the user needs to sign in, and
  /// ``HTTPError/underlying`` of the waiting requests is a ``RefreshResponseLostError``. If this is false, they fail with
  /// ``HTTPError/Kind/credentialsUnavailable``, and the next request refreshes again.
  ///
  /// If this is true, every error that ``refresh(_:)`` throws counts as a lost response, including a failure to store the
  /// response, except: ``CredentialsRejectedError``; ``CredentialsUnavailableError``, which states that nothing was sent; an
  /// ``HTTPError`` that was not sent, has a 4xx status or 503, or is a page in place of JSON; and a `URLError` of a server that
  /// was not reached. So throw ``CredentialsUnavailableError`` if the stored refresh token cannot be read, and do not throw it
  /// after the request was sent.
  var rotatesRefreshTokens: Bool { get }
}

extension BearerTokenSource {
  public var rotatesRefreshTokens: Bool { false }
}
