import CDurability
package import LarderSQLite

/// A page of memory that a process which saves shares with the one that kills it.
///
/// What it holds outlives the process, up to its last instruction.
package final class Marks: @unchecked Sendable {
  // Safe to share: the page holds atomic numbers only, and the pointer never changes.
  private let page: OpaquePointer

  package init?(path: String) {
    guard let page = larder_marks_map(path) else { return nil }
    self.page = page
  }

  deinit { larder_marks_unmap(page) }

  /// Where a writer stands.
  package enum Phase: Int64, Sendable {
    case outside, beginning, inside, committing, ending
  }

  package var phase: Phase { Phase(rawValue: larder_marks_phase(page)) ?? .outside }
  package var isReady: Bool { larder_marks_is_ready(page) != 0 }
  package var begun: Int { Int(larder_marks_last_begun(page)) }
  package var returned: Int { Int(larder_marks_last_returned(page)) }

  /// Whether the save that is under way stands between BEGIN and COMMIT.
  package var isInsideSave: Bool { phase == .inside && begun > returned }
  package var isCommittingSave: Bool { phase == .committing && begun > returned }

  package func reset(returned: Int) { larder_marks_reset(page, Int64(returned)) }
  package func setReady(save: Int) { larder_marks_ready(page, Int64(save)) }
  package func begin(_ save: Int) { larder_marks_begun(page, Int64(save)) }
  package func end(_ save: Int) { larder_marks_returned(page, Int64(save)) }

  /// Notes the writing transactions of all connections to a file from now on. The page must outlive the process.
  package func watchFile(_ path: String) { larder_marks_watch_file(page, path) }

  /// Notes this connection's transactions from now on. The page must outlive the connection.
  package func watch(_ connection: Connection) {
    larder_marks_watch(page, UnsafeMutableRawPointer(connection.handle))
  }
}
