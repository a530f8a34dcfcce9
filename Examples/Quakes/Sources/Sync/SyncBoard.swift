import Foundation
import Synchronization

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
      case .synced, .notModified:
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
