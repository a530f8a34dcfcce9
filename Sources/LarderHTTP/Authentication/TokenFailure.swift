internal import Foundation

/// What it means that a source of tokens has thrown.
enum TokenFailure {
  /// Only the user can help.
  case refused(any Error)
  /// It says nothing of the credentials: the next request may try again.
  case passing(HTTPError)
  /// Nobody knows. When it goes on like that, the user is asked.
  case unclear(HTTPError)

  init(_ error: any Error) {
    // Of another request than the one that waits, and of another server, perhaps: its kind and its status are not for
    // whoever takes them for an answer to his own.
    let failure = HTTPError(.noCredentials, delivery: .notSent, underlying: error)
    switch error {
    case is CredentialsRefused, is RefreshAnswerLost: self = .refused(error)
    case is CredentialsUnavailable, is CancellationError: self = .passing(failure)
    case let error as HTTPError:
      switch error.kind {
      case .unauthorized, .needsSignIn: self = .refused(error)
      case .refused(400) where error.isInvalidGrant: self = .refused(error)
      case .notJSON where error.isOfServer: self = .unclear(failure)
      case .notSent, .maybeSent, .interrupted, .deadline, .limited, .notJSON, .pinMismatch, .redirect, .cancelled,
        .noCredentials,
        .invalidRequest(.credentialsOfItself):
        self = .passing(failure)
      case .refused(let status) where status >= 500 || RetryPolicy.undoneStatuses.contains(status):
        self = .passing(failure)
      default: self = .unclear(failure)
      }
    default: self = (error as NSError).domain == NSURLErrorDomain ? .passing(failure) : .unclear(failure)
    }
  }

  /// Whether a refresh that has failed so may have been carried out all the same: its answer is lost, and with it, where
  /// refresh tokens are for one use, the next one. It was, unless it is known not to have been: a source that cannot read
  /// or keep what it was given throws an error of its own.
  static func leavesOpen(_ error: any Error) -> Bool {
    switch error {
    case is CredentialsRefused: return false
    case let error as CredentialsUnavailable: return error.hidesArrival
    default: return HTTPError.cause(error)?.leavesOpen ?? true
    }
  }
}

extension CredentialsUnavailable {
  /// Whether what it was made of says that something was sent, which the error itself denies.
  fileprivate var hidesArrival: Bool {
    switch underlying {
    case nil: false
    case let error as CredentialsUnavailable: error.hidesArrival
    case let error?: HTTPError.cause(error)?.leavesOpen ?? false
    }
  }
}

extension HTTPError {
  /// Whether the credentials may be there the next time, and nothing is at stake in asking for them again at once.
  var mayHaveCredentialsLater: Bool {
    guard kind == .noCredentials, delivery == .notSent else { return false }
    // Who asks for them by a client that tries again itself has done so: here it would be that often once more.
    guard rootCause.attempts == 1 || rootCause.kind == .noCredentials else { return false }
    if let error = underlying as? CredentialsUnavailable { return !error.hidesArrival }
    guard let cause = HTTPError.cause(underlying) else { return false }
    switch cause.kind {
    case .notSent(let failure): return failure.mayPass
    case .deadline(let phase): return cause.delivery == .notSent && phase != .total
    case .limited: return RetryPolicy.undoneStatuses.contains(cause.status ?? 0)
    case .refused(let status): return RetryPolicy.undoneStatuses.contains(status)
    case .noCredentials: return cause.mayHaveCredentialsLater
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
  fileprivate var leavesOpen: Bool {
    if delivery == .notSent { return false }
    guard delivery == .answered else { return true }
    switch kind {
    case .unauthorized, .limited: return false
    case .notJSON: return isOfServer
    case .refused(let status): return !(400..<500).contains(status) && status != 503
    default: return !(status.map { (400..<500).contains($0) } ?? false)
    }
  }

  /// Whether it is the server's own answer that is no JSON: damaged, and not a page of somebody else.
  fileprivate var isOfServer: Bool { underlying is DecodingError }

  /// RFC 6749, section 5.2.
  fileprivate var isInvalidGrant: Bool {
    struct Refusal: Decodable {
      let error: String
    }
    return (try? JSONDecoder().decode(Refusal.self, from: body).error) == "invalid_grant"
  }
}
