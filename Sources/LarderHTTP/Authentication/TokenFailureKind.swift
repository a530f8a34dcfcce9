internal import Foundation

/// What it means that a source of tokens has thrown.
enum TokenFailureKind {
  /// Only the user can help.
  case needsSignIn(any Error)
  /// It says nothing of the credentials: the next request may try again.
  case transient(HTTPError)
  /// Nobody knows. When it goes on like that, the user is asked.
  case unknown(HTTPError)

  init(_ error: any Error) {
    // Of another request than the one that waits, and of another server, perhaps: its kind and its status are not for
    // whoever takes them for an answer to his own.
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

  /// Whether a refresh that has failed so may have been carried out all the same: its answer is lost, and with it, where
  /// refresh tokens are for one use, the next one. It was, unless it is known not to have been: a source that cannot read
  /// or keep what it was given throws an error of its own.
  static func mayHaveCompleted(_ error: any Error) -> Bool {
    switch error {
    case is CredentialsRejectedError: return false
    case let error as CredentialsUnavailableError: return error.mayHaveSentRequest
    default: return HTTPError.cause(error)?.mayHaveCompleted ?? true
    }
  }
}

extension CredentialsUnavailableError {
  /// Whether what it was made of says that something was sent, which the error itself denies.
  fileprivate var mayHaveSentRequest: Bool {
    switch underlying {
    case nil: false
    case let error as CredentialsUnavailableError: error.mayHaveSentRequest
    case let error?: HTTPError.cause(error)?.mayHaveCompleted ?? false
    }
  }
}

extension HTTPError {
  /// Whether the credentials may be there the next time, and nothing is at stake in asking for them again at once.
  var isTransientCredentialFailure: Bool {
    guard kind == .credentialsUnavailable, delivery == .notSent else { return false }
    // Who asks for them by a client that tries again itself has done so: here it would be that often once more.
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

  /// An error of a request, also of URLSession's.
  static func cause(_ error: (any Error)?) -> HTTPError? {
    guard let error else { return nil }
    if let error = error as? HTTPError { return error }
    return (error as NSError).domain == NSURLErrorDomain ? HTTPError(session: error) : nil
  }

  /// Whether what was asked for may have been done. Refused (4xx), asked to wait and a portal's page are answers of somebody
  /// who has not; any other failure may be of what came behind.
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

  /// Whether it is the server's own answer that is no JSON: damaged, and not a page of somebody else.
  fileprivate var isDecodingFailure: Bool { underlying is DecodingError }

  /// RFC 6749, section 5.2.
  fileprivate var isInvalidGrant: Bool {
    struct OAuthError: Decodable {
      let error: String
    }
    return (try? JSONDecoder().decode(OAuthError.self, from: body).error) == "invalid_grant"
  }
}
