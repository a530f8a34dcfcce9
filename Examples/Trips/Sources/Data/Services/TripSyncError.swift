import Foundation
import FoundationNetworking

/// Why the trips of the API could not be had. Each is a sentence for the person who looks at the page.
enum TripSyncError: Error, Hashable, Sendable {
  /// The API answered with a status that tells of a failure.
  case status(Int)
  /// The API answered well, with something else than trips.
  case notTrips(type: String)
  /// The answer is JSON as far as it goes, and ends too soon.
  case brokeOff
  /// A trip of the answer cannot be read; the words say which, and what of it.
  case badTrip(String)
  /// No answer came in time.
  case timedOut(seconds: Int)
  /// Nobody answers at the API's address.
  case unreachable
  /// Any other failure of the connection, in the system's words.
  case connection(String)
}

extension TripSyncError: LocalizedError, CustomStringConvertible {
  var description: String { "\(trouble) The trips are shown as they were." }

  var errorDescription: String? { description }

  private var trouble: String {
    switch self {
    case .status(let status) where status >= 500:
      "The trips' server has a problem of its own (status \(status)). Try again later."
    case .status(let status): "The trips' server refused to answer (status \(status))."
    case .notTrips(let type): "The server answered with \(type) instead of trips."
    case .brokeOff: "The server's answer broke off before its end."
    case .badTrip(let words): "The server sent a trip that cannot be read: \(words) is missing or of the wrong kind."
    case .timedOut(let seconds): "The server did not answer within \(seconds) \(seconds == 1 ? "second" : "seconds")."
    case .unreachable: "The server cannot be reached: nobody answers at its address."
    case .connection(let words): "The connection to the server failed: \(words)."
    }
  }
}
