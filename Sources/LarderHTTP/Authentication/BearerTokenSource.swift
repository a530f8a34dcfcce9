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
///     guard let key = try keychain.refreshToken() else { throw CredentialsRefused() }
///     let answer = try await client.request(.refresh(key))
///     try keychain.store(answer)
///     return BearerToken(answer.accessToken, lifetime: .seconds(answer.expiresIn))
///   }
/// }
/// ```
///
/// A ``BearerAuthentication`` calls one of these at a time, and shares what comes of it. The endpoint that refreshes has no
/// authentication, or the refresh would wait for itself: ``EndpointAuthentication/none``.
///
/// What they throw decides what follows:
/// - ``CredentialsRefused``, and an ``HTTPError`` that is a 401 or a 400 of the error `invalid_grant` (RFC 6749, section
///   5.2): the user needs to sign in.
/// - An ``HTTPError`` of the network or of a server that has failed, and any `URLError`: the requests that wait fail with
///   it, and the next one tries again.
/// - Anything else: the same, and it counts among the refreshes that ``BearerAuthentication`` limits.
public protocol BearerTokenSource: Sendable {
  /// The token at hand, stored by an earlier run, say; nil where the user is not signed in. Asked once, by the first
  /// request. One that has expired is refreshed.
  func token() async throws -> BearerToken?

  /// A new token in the place of one that has expired or was refused.
  ///
  /// Finish what has begun, where the task is cancelled: a server may have taken the old refresh token back.
  func refresh(_ old: BearerToken) async throws -> BearerToken
}

/// The server accepts what a refresh shows no more: the user needs to sign in.
///
/// ```swift
/// guard let key = try keychain.refreshToken() else { throw CredentialsRefused() }
/// ```
public struct CredentialsRefused: Error, Sendable, Hashable, CustomStringConvertible {
  public init() {}
  public var description: String { "The credentials are not accepted any more; sign in again." }
}
