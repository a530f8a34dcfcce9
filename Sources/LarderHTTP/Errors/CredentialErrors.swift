public import Foundation

/// The error for a refresh token that the server does not accept any more: the user needs to sign in.
///
/// ```swift
/// guard let key = try keychain.refreshToken() else { throw CredentialsRejectedError() }
/// ```
public struct CredentialsRejectedError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// Creates the error, for a ``BearerTokenSource`` to throw.
  ///
  /// ```swift
  /// guard let key = try keychain.refreshToken() else { throw CredentialsRejectedError() }
  /// ```
  public init() {}
  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String { "The credentials are not accepted any more; sign in again." }
}

/// The error for credentials that are not available now, which says nothing about their validity: the keychain is locked, the
/// device with the key is missing, or there is no network.
///
/// ```swift
/// do {
///   return try await secrets.secret(for: name)
/// } catch {
///   throw CredentialsUnavailableError(error.summary, advice: error.advice, underlying: error)
/// }
/// ```
///
/// Thrown by a ``BearerTokenSource``, it states that nothing was sent, and never signs the user out, however often it is
/// thrown: the waiting requests fail with ``HTTPError/Kind/credentialsUnavailable``, as not sent. ``RetryPolicy`` retries them.
/// If ``underlying`` is an ``HTTPError`` or a `URLError`, that error decides whether something was sent, and whether it was
/// tried several times.
public struct CredentialsUnavailableError: LocalizedError, Sendable, CustomStringConvertible {
  /// The reason in a few words without a full stop, such as "the keyring is locked". It is in the descriptions of the waiting
  /// requests.
  public let reason: String?
  /// The advice to the user, a sentence. It is the ``HTTPError/advice`` of the waiting requests.
  public let advice: String?
  /// The cause, if it is known. It may hold private values, and is in no description.
  public let underlying: (any Error)?

  /// Creates the error, for a ``BearerTokenSource`` to throw.
  ///
  /// ```swift
  /// guard !keychain.isLocked else { throw CredentialsUnavailableError("the keychain is locked", advice: "Unlock it.") }
  /// ```
  ///
  /// - Parameters:
  ///   - reason: The reason, without private values, since the errors of the waiting requests show it. The summary of a
  ///     `SecretError` of LarderSecrets has none.
  ///   - advice: The advice to the user, without private values.
  ///   - underlying: The cause.
  public init(_ reason: String? = nil, advice: String? = nil, underlying: (any Error)? = nil) {
    self.reason = reason
    self.advice = advice
    self.underlying = underlying
  }

  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String {
    "The credentials cannot be had now\(reason.map { ": " + $0 } ?? ""). \(advice ?? "Try again later.")"
  }
}

/// The error for a request of a previous user: since it was made, another user has signed in, or its own user has signed out.
/// It is not sent in the name of the current user.
///
/// ```swift
/// if error.underlying is UserChangedError { drafts.keep(order, for: formerUser) }
/// ```
///
/// It is the ``HTTPError/underlying`` of such a request's error, of the kind ``HTTPError/Kind/needsSignIn``. Sending the request
/// again later sends it as the user of that time.
public struct UserChangedError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  init() {}
  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String { "Somebody else has signed in since the request was made." }
}

/// The error for a lost response to a refresh, of a source whose refresh tokens are for one use
/// (``BearerTokenSource/rotatesRefreshTokens``): the server may have revoked the refresh token, and the next one was in the
/// response, which did not arrive, or could not be read or stored.
///
/// ```swift
/// if error.underlying is RefreshResponseLostError { log("signed out by a connection that broke") }
/// ```
///
/// It is the ``HTTPError/underlying`` of the waiting requests' errors, of the kind ``HTTPError/Kind/needsSignIn``.
public struct RefreshResponseLostError: LocalizedError, Sendable, CustomStringConvertible {
  /// The cause of the loss. It may hold private values, and is in no description.
  public let underlying: any Error

  init(underlying: any Error) { self.underlying = underlying }
  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String {
    """
    The answer to a refresh was lost, and the server may have taken the refresh token back. It was not shown again; sign \
    in again.
    """
  }
}
