import Foundation

/// Why the store is not in step with the bank, for people.
enum SyncTrouble {
  /// A sentence. It names no account, no amount and no key.
  static func words(_ error: any Error) -> String {
    switch error {
    case let error as NetworkError: words(error)
    case is MappingError: "The bank's answer cannot be read."
    default: "What the bank said could not be kept in the store."
    }
  }

  /// Whether the bank was reached, whatever it had to say.
  static func isFromTheBank(_ error: any Error) -> Bool {
    switch error as? NetworkError {
    case let error?: error.isAnswer
    // The bank's answer, which the store does not take.
    case nil: true
    }
  }

  private static func words(_ error: NetworkError) -> String {
    switch error {
    case .notSent, .invalidURL: "The bank cannot be reached."
    case .noAnswer: "The bank does not answer."
    case .noCredentials(let reason, _):
      "What signs in to the bank cannot be had from the secret store\(reason.map { ": " + $0 } ?? ""). Nothing was sent."
    case .untrusted: "Whoever answers at the bank's address is not the bank. Nothing was sent."
    case .notSetUp:
      "The way to the bank is not set up as it must be: see its address, its pins and its authority. Nothing was sent."
    case .invalidResponse: "The bank's answer broke off before its end."
    case .decodingError: "The bank's answer cannot be read."
    case .serverError(let status): "The bank has a problem of its own (status \(status))."
    case .limited: "The bank asks to wait."
    case .unauthorized: "Sign in to the bank again."
    case .httpError(let status, let reason, _): reason ?? "The bank refuses to answer (status \(status))."
    case .forbidden, .notFound: "The bank refuses to answer."
    }
  }
}
