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
      case .notSent, .maybeSent, .deadline, .limited, .notJSON, .pinMismatch, .redirect, .cancelled, .noCredentials,
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
  /// refresh tokens are for one use, the next one.
  static func leavesOpen(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    let failure =
      error as? HTTPError
      ?? ((error as NSError).domain == NSURLErrorDomain ? HTTPError(session: error) : nil)
    switch (failure?.delivery, failure?.kind) {
    case (.maybeSent, _): return true
    // A gateway has not heard what the server behind it said.
    case (.answered, .refused(502)), (.answered, .refused(504)): return true
    case (.answered, .maybeSent), (.answered, .deadline), (.answered, .cancelled), (.answered, .tooLarge),
      (.answered, .noContent), (.answered, .undecodable):
      return true
    default: return false
    }
  }
}

extension HTTPError {
  /// Whether the credentials may be there the next time, and nothing is at stake in asking for them again at once.
  var mayHaveCredentialsLater: Bool {
    guard kind == .noCredentials, delivery == .notSent else { return false }
    if underlying is CredentialsUnavailable { return true }
    guard let cause = underlying as? HTTPError else { return false }
    switch cause.kind {
    case .notSent(let failure): return failure.mayPass
    case .deadline(let phase): return cause.delivery == .notSent && phase != .total
    case .limited: return RetryPolicy.undoneStatuses.contains(cause.status ?? 0)
    case .refused(let status): return RetryPolicy.undoneStatuses.contains(status)
    case .noCredentials: return cause.mayHaveCredentialsLater
    default: return false
    }
  }

  /// RFC 6749, section 5.2.
  fileprivate var isInvalidGrant: Bool {
    struct Refusal: Decodable {
      let error: String
    }
    return (try? JSONDecoder().decode(Refusal.self, from: body).error) == "invalid_grant"
  }
}
