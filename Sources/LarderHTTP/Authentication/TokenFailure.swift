internal import Foundation

/// What it means that a source of tokens has thrown.
enum TokenFailure {
  /// Only the user can help.
  case refused
  /// It says nothing of the credentials: the next request may try again.
  case passing(HTTPError)
  /// Nobody knows. When it goes on like that, the user is asked.
  case unclear(HTTPError)

  init(_ error: any Error) {
    guard let error = error as? HTTPError else {
      let failure = HTTPError(.noCredentials, delivery: .notSent, underlying: error)
      if error is CredentialsRefused {
        self = .refused
      } else if error is CancellationError || (error as NSError).domain == "NSURLErrorDomain" {
        self = .passing(failure)
      } else {
        self = .unclear(failure)
      }
      return
    }
    switch error.kind {
    case .unauthorized, .needsSignIn: self = .refused
    case .refused(400) where error.isInvalidGrant: self = .refused
    case .notSent(let failure), .maybeSent(let failure): self = .passing(error.ofAnother(.notSent(failure)))
    case .deadline, .limited, .notJSON, .pinMismatch, .redirect: self = .passing(error.ofAnother(error.kind))
    case .refused(let status) where status >= 500 || RetryPolicy.undoneStatuses.contains(status):
      self = .passing(error.ofAnother(error.kind))
    case .cancelled: self = .passing(error.ofAnother(.noCredentials))
    default: self = .unclear(HTTPError(.noCredentials, delivery: .notSent, underlying: error))
    }
  }
}

extension HTTPError {
  /// The failure of a request that was not sent because of this one. What the server said to whoever refreshes is not for
  /// whoever waits.
  fileprivate func ofAnother(_ kind: Kind) -> HTTPError {
    var failure = HTTPError(kind, delivery: .notSent, status: status)
    failure.headers["Retry-After"] = headers["Retry-After"]
    failure.certificateProblem = certificateProblem
    return failure
  }

  /// RFC 6749, section 5.2.
  fileprivate var isInvalidGrant: Bool {
    struct Refusal: Decodable {
      let error: String
    }
    return (try? JSONDecoder().decode(Refusal.self, from: body).error) == "invalid_grant"
  }
}
