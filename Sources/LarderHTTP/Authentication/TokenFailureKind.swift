internal import Foundation

/// The meaning of an error that a token source has thrown.
enum TokenFailureKind {
  /// Only the user can help.
  case needsSignIn(any Error)
  /// The error says nothing about the credentials: the next request may try again.
  case transient(HTTPError)
  /// The meaning is unknown. After several such errors, the user must sign in.
  case unknown(HTTPError)

  init(_ error: any Error) {
    // The error belongs to another request than the waiting one, and perhaps to another server. Its kind and its status
    // must not be taken for the response to the waiting request.
    let failure = HTTPError(.credentialsUnavailable, delivery: .notSent, underlying: error)
    switch error {
    case is CredentialsRejectedError, is RefreshResponseLostError: self = .needsSignIn(error)
    case is CredentialsUnavailableError, is CancellationError: self = .transient(failure)
    case let error as HTTPError:
      switch error.kind {
      case .unauthorized, .needsSignIn: self = .needsSignIn(error)
      case .unacceptableStatus(400) where error.isInvalidGrant: self = .needsSignIn(error)
      case .notJSON where error.isDecodingFailure: self = .unknown(failure)
      case .notSent, .maybeSent, .interrupted, .deadline, .rateLimited, .notJSON, .pinMismatch, .redirect, .cancelled,
        .credentialsUnavailable,
        .invalidRequest(.recursiveAuthentication):
        self = .transient(failure)
      case .unacceptableStatus(let status) where status >= 500 || RetryPolicy.unprocessedStatuses.contains(status):
        self = .transient(failure)
      default: self = .unknown(failure)
      }
    default: self = (error as NSError).domain == NSURLErrorDomain ? .transient(failure) : .unknown(failure)
    }
  }

  /// Returns whether a refresh that failed with this error may have been carried out all the same: its response is lost, and
  /// so is the next refresh token if such tokens are for one use. The answer is yes unless the error proves the opposite: a
  /// source that cannot read or store the response throws an error of its own.
  static func mayHaveCompleted(_ error: any Error) -> Bool {
    switch error {
    case is CredentialsRejectedError: return false
    case let error as CredentialsUnavailableError: return error.mayHaveSentRequest
    default: return HTTPError.cause(error)?.mayHaveCompleted ?? true
    }
  }
}

extension CredentialsUnavailableError {
  /// Whether the underlying error says that something was sent, which this error itself denies.
  fileprivate var mayHaveSentRequest: Bool {
    switch underlying {
    case nil: false
    case let error as CredentialsUnavailableError: error.mayHaveSentRequest
    case let error?: HTTPError.cause(error)?.mayHaveCompleted ?? false
    }
  }
}

extension HTTPError {
  /// Whether the credentials may be available the next time, and asking again at once does no harm.
  var isTransientCredentialFailure: Bool {
    guard kind == .credentialsUnavailable, delivery == .notSent else { return false }
    // A source whose client retries has done so already: retries here would multiply them.
    guard rootCause.attempts == 1 || rootCause.kind == .credentialsUnavailable else { return false }
    if let error = underlying as? CredentialsUnavailableError { return !error.mayHaveSentRequest }
    guard let cause = HTTPError.cause(underlying) else { return false }
    switch cause.kind {
    case .notSent(let failure): return failure.isTransient
    case .deadline(let phase): return cause.delivery == .notSent && phase != .total
    case .rateLimited: return RetryPolicy.unprocessedStatuses.contains(cause.status ?? 0)
    case .unacceptableStatus(let status): return RetryPolicy.unprocessedStatuses.contains(status)
    case .credentialsUnavailable: return cause.isTransientCredentialFailure
    default: return false
    }
  }

  /// Returns an error as the error of a request, including errors of URLSession.
  static func cause(_ error: (any Error)?) -> HTTPError? {
    guard let error else { return nil }
    if let error = error as? HTTPError { return error }
    return (error as NSError).domain == NSURLErrorDomain ? HTTPError(session: error) : nil
  }

  /// Whether the server may have processed the request. A refusal (4xx), a request to wait and a portal's page come from a
  /// server that has not; any other failure may come from a server behind it.
  fileprivate var mayHaveCompleted: Bool {
    if delivery == .notSent { return false }
    guard delivery == .responded else { return true }
    switch kind {
    case .unauthorized, .rateLimited: return false
    case .notJSON: return isDecodingFailure
    case .unacceptableStatus(let status): return !(400..<500).contains(status) && status != 503
    default: return !(status.map { (400..<500).contains($0) } ?? false)
    }
  }

  /// Whether the server's own response is damaged JSON, and not the page of another server.
  fileprivate var isDecodingFailure: Bool { underlying is DecodingError }

  /// Whether the error is `invalid_grant` (RFC 6749, section 5.2).
  fileprivate var isInvalidGrant: Bool {
    struct OAuthError: Decodable {
      let error: String
    }
    return (try? JSONDecoder().decode(OAuthError.self, from: body).error) == "invalid_grant"
  }
}
