import Foundation
import Synchronization

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

/// The one place that knows the status, for the page's threads and the sync's.
final class SyncBoard: Sendable {
  private let status: Mutex<SyncStatus>

  init(lastSync: Date?) {
    status = Mutex(SyncStatus(lastSync: lastSync))
  }

  var current: SyncStatus {
    status.withLock { $0 }
  }

  /// Notes what came of a round, and says whether the page shows something else now.
  func note(_ report: SyncReport, at date: Date) -> Bool {
    status.withLock { status in
      let before = status
      status.trouble = report.trouble
      switch report {
      case .synced:
        status.origin = .reachable
        status.lastSync = date
      case .failed(let error):
        status.origin = error.originAnswered ? .reachable : .unreachable
      case .notStored:
        status.origin = .reachable
      }
      return status.differsVisibly(from: before)
    }
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
