import Foundation
import SwiftData
import Testing

/// Does something the first time that a context posts a notification.
///
/// - Returns: The observer, to be removed.
func once(
  _ name: Notification.Name, of context: ModelContext, _ body: @escaping () throws -> Void
) -> any NSObjectProtocol {
  let isDone = Counted(false)
  let work = OwnThread(body)
  return NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
    if isDone.value { return }
    isDone.update { $0 = true }
    do { try work.body() } catch { Issue.record("\(error)") }
  }
}

// @unchecked: notifications are posted on the test's own thread.
private struct OwnThread: @unchecked Sendable {
  let body: () throws -> Void
  init(_ body: @escaping () throws -> Void) { self.body = body }
}
