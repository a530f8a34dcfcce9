import Foundation
import LarderHTTP
import LarderSecrets

/// What can go wrong with a request. No case holds an account, an amount, a key or a token.
enum NetworkError: Error, Sendable {
  case invalidURL
  case invalidResponse
  /// With what the server says of it (RFC 9457).
  case httpError(statusCode: Int, reason: String?, type: String?)
  case unauthorized
  case forbidden
  case notFound
  /// The server asks to wait.
  case limited(until: Date?)
  case serverError(statusCode: Int)
  case decodingError
  /// Nothing of the request was sent.
  case notSent
  /// What shows who asks cannot be had, for this reason: the secret store is locked, say. Nothing was sent. It lasts where
  /// somebody has to mend it first.
  case noCredentials(reason: String?, isLasting: Bool)
  /// The server is not the one that it should be: its certificate is not trusted, is another host's, or has not the pinned
  /// key. Nothing was sent.
  case untrusted
  /// The way to the server is not set up as it must be, whatever is asked. Nothing was sent.
  case notSetUp
  /// Some of it was sent, and no answer came.
  case noAnswer
}

extension NetworkError {
  init(_ error: HTTPError) {
    // Before the kind is looked at: what failed may be what came after a redirect, of a request that was acted upon.
    guard error.delivery != .maybeSent else {
      self = .noAnswer
      return
    }
    switch (error.kind, error.status) {
    case (.invalidRequest(let reason), _): self = reason.isConfigurationProblem ? .notSetUp : .invalidURL
    case (.unauthorized, _), (.needsSignIn, _), (_, 401): self = .unauthorized
    case (.pinMismatch, _), (.notSent(.untrustedCertificate), _): self = .untrusted
    case (.credentialsUnavailable, _):
      // Of the request for a token, which this one has waited for; nothing of this one was sent, whatever became of that.
      switch error.rootCause.kind {
      case .pinMismatch, .notSent(.untrustedCertificate): self = .untrusted
      case .invalidRequest: self = .notSetUp
      case .rateLimited(let until): self = .limited(until: until)
      case .credentialsUnavailable:
        let cause = error.rootCause.underlying as? CredentialsUnavailableError
        let secrets = cause?.underlying as? SecretError
        let isLasting = secrets?.isLasting == true
        self = .noCredentials(reason: isLasting ? secrets?.description : cause?.reason, isLasting: isLasting)
      default: self = .notSent
      }
    case _ where error.delivery == .notSent: self = .notSent
    // A 503 may come from whatever stands before a server that has acted, whether it asks to wait or not.
    case (.rateLimited(let until), 429): self = .limited(until: until)
    case (_, 403): self = .forbidden
    case (_, 404): self = .notFound
    case (_, .some(500...599)): self = .serverError(statusCode: error.status ?? 500)
    case (_, .some(400...499)):
      self = .httpError(statusCode: error.status ?? 400, reason: error.problem?.title, type: error.problem?.type)
    case (.undecodable, _), (.notJSON, _), (.noContent, _): self = .decodingError
    default:
      // A head came, and not the whole of what it announced.
      self = .invalidResponse
    }
  }
}

extension SecretError {
  /// Whether it stays so until somebody has done something about it.
  fileprivate var isLasting: Bool {
    switch self {
    case .wrongKey, .keyTypeMismatch, .corrupted, .notASecretFile, .unsupportedVersion, .excessiveCost, .tooLarge,
      .insecureFile, .invalidKey, .invalidName:
      true
    case .noRandomness, .busy, .system, .unavailable, .locked, .userDeclined, .timedOut, .cancelled, .service,
      .keychain:
      false
    }
  }
}

extension NetworkError {
  /// Whether the server has surely not acted upon the request.
  var saysThatNothingWasDone: Bool {
    switch self {
    case .invalidURL, .notSent, .noCredentials, .untrusted, .notSetUp, .unauthorized, .forbidden, .notFound, .httpError,
      .limited:
      true
    // A server that fails may have acted before, and so may one whose answer was not whole.
    case .serverError, .invalidResponse, .decodingError, .noAnswer: false
    }
  }
}

extension NetworkError {
  /// Whether it is something that the server has said.
  var isAnswer: Bool {
    switch self {
    case .invalidURL, .notSent, .noCredentials, .untrusted, .notSetUp, .noAnswer: false
    case .invalidResponse, .httpError, .unauthorized, .forbidden, .notFound, .limited, .serverError, .decodingError:
      true
    }
  }
}

extension NetworkError: LocalizedError, CustomStringConvertible {
  var description: String {
    switch self {
    case .invalidURL: "Invalid URL"
    case .invalidResponse: "Invalid response from server"
    case .httpError(let statusCode, let reason, _): reason ?? "HTTP error: \(statusCode)"
    case .unauthorized: "Unauthorized. Please log in again."
    case .forbidden: "Access forbidden"
    case .notFound: "Resource not found"
    case .limited: "The server asks to wait"
    case .serverError(let statusCode): "Server error: \(statusCode)"
    case .decodingError: "Failed to decode response"
    case .notSent: "The server cannot be reached"
    case .noCredentials(let reason, _): "What shows who asks cannot be had\(reason.map { ": " + $0 } ?? "")"
    case .untrusted: "The server is not who it should be"
    case .notSetUp: "The way to the server is not set up as it must be"
    case .noAnswer: "The server did not answer"
    }
  }

  var errorDescription: String? { description }
}
