import Foundation

/// Why the feed could not be had.
enum NetworkError: Error, Hashable, Sendable {
  /// The answer is not one of the feed's.
  case invalidResponse
  /// The origin answered with a status that tells of a failure.
  case status(Int)
  /// The origin answered well, with something else than the feed.
  case notTheFeed(type: String)
  /// The answer broke off.
  case brokeOff
  /// No answer came in time.
  case timedOut(seconds: Int)
  /// Nobody answers at the origin's address.
  case unreachable
  /// Any other failure of the connection, in the system's words.
  case connection(String)
}

extension NetworkError: CustomStringConvertible, LocalizedError {
  /// A sentence for the page and the terminal.
  var description: String {
    switch self {
    case .invalidResponse: "The origin's answer is not the feed."
    case .status(let status): "The origin answered with an error (status \(status))."
    case .notTheFeed(let type): "The origin answered with something that is not the feed (\(type))."
    case .brokeOff: "The origin's answer broke off before its end."
    case .timedOut(let seconds): "The origin did not answer within \(seconds) s."
    case .unreachable: "The origin cannot be reached: nobody answers at its address."
    case .connection(let words): "The connection to the origin failed: \(words)."
    }
  }

  var errorDescription: String? { description }
}
