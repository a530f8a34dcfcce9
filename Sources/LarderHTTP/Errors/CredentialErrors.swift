public import Foundation

/// The server accepts what a refresh shows no more: the user needs to sign in.
///
/// ```swift
/// guard let key = try keychain.refreshToken() else { throw CredentialsRejectedError() }
/// ```
public struct CredentialsRejectedError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// Makes the error, for a ``BearerTokenSource`` to throw.
  ///
  /// ```swift
  /// guard let key = try keychain.refreshToken() else { throw CredentialsRejectedError() }
  /// ```
  public init() {}
  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String { "The credentials are not accepted any more; sign in again." }
}

/// The credentials cannot be had now, which says nothing of them: a keychain is locked, a device that has the key is not
/// there, there is no network.
///
/// ```swift
/// do {
///   return try await secrets.secret(for: name)
/// } catch {
///   throw CredentialsUnavailableError(error.summary, advice: error.advice, underlying: error)
/// }
/// ```
///
/// Thrown by a ``BearerTokenSource``, it says that nothing was sent, and signs nobody out, however often: the requests that
/// wait fail with ``HTTPError/Kind/noCredentials``, as not sent. ``RetryPolicy`` tries them again. Where ``underlying`` is
/// an ``HTTPError`` or a `URLError`, that one says whether something was sent, and whether it was tried several times.
public struct CredentialsUnavailableError: LocalizedError, Sendable, CustomStringConvertible {
  /// Why, in some words without a full stop, as "the keyring is locked". They are in the descriptions of the requests that
  /// wait.
  public let reason: String?
  /// What to do about it, in a sentence. It is the ``HTTPError/advice`` of the requests that wait.
  public let advice: String?
  /// Why, where that is known. It may hold private values, and is in no description.
  public let underlying: (any Error)?

  /// Makes the error, for a ``BearerTokenSource`` to throw.
  ///
  /// ```swift
  /// guard !keychain.isLocked else { throw CredentialsUnavailableError("the keychain is locked", advice: "Unlock it.") }
  /// ```
  ///
  /// - Parameters:
  ///   - reason: Why, in words without a private value: those who wait say it in their errors. The summary of a
  ///     `SecretError` of LarderSecrets has none.
  ///   - advice: What to do about it, likewise.
  ///   - underlying: What was thrown.
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

/// Somebody else has signed in since a request was made, or its user has signed out meanwhile: it is not sent in the name of
/// whoever is signed in now.
///
/// ```swift
/// if error.underlying is UserChangedError { drafts.keep(order, for: formerUser) }
/// ```
///
/// It is the ``HTTPError/underlying`` of requests that fail with ``HTTPError/Kind/needsSignIn`` for it. To send them again
/// later is to send them as whoever is signed in then.
public struct UserChangedError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  init() {}
  /// ``description``.
  public var errorDescription: String? { description }
  public var description: String { "Somebody else has signed in since the request was made." }
}

/// The answer to a refresh was lost, by a source whose refresh tokens are for one use
/// (``BearerTokenSource/rotatesRefreshTokens``): the server may have taken the refresh token back, and the next one was in
/// the answer, which did not come, or could not be read or kept.
///
/// ```swift
/// if error.underlying is RefreshResponseLostError { log("signed out by a connection that broke") }
/// ```
///
/// It is the ``HTTPError/underlying`` of requests that fail with ``HTTPError/Kind/needsSignIn`` for it.
public struct RefreshResponseLostError: LocalizedError, Sendable, CustomStringConvertible {
  /// How it was lost. It may hold private values, and is in no description.
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
