import Foundation

/// How things stand between the store and the origin.
struct SyncStatus: Hashable, Sendable {
  enum Origin: Hashable, Sendable {
    case unknown
    case reachable
    case unreachable
  }

  var lastSync: Date?
  var origin = Origin.unknown
  /// The sentence about what went wrong in the last round.
  var trouble: String?

  /// Whether a person has to be told: all but the time, which a page asks for by itself.
  func differsVisibly(from other: SyncStatus) -> Bool {
    origin != other.origin || trouble != other.trouble
  }
}

extension NetworkError {
  /// Whether somebody was there, though the answer was of no use.
  var originAnswered: Bool {
    switch self {
    case .invalidResponse, .status, .notTheFeed, .brokeOff: true
    case .timedOut, .unreachable, .connection: false
    }
  }
}
