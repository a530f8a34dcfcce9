import LarderSQLite
import LarderSupport

/// One question to the histories of a container's stores, of which some are asked by requests: what the stores of SQLite
/// among them say of themselves, whatever is made around them.
///
/// A token stands for all of a container's stores. To each of these the numbers of the others mean nothing, and where it has
/// none itself it is asked from the start. A request cannot say that, which is the program's own to hand on.
final class HistoryQueryScope: Sendable {
  /// The one in the course of which stores are called.
  @TaskLocal static var current: HistoryQueryScope?

  private struct Extent {
    var start: Int64
    var end: Int64
  }

  /// Whether the changes of what is found must be readable.
  let requiresReadableChanges: Bool
  private let extents = Locked<[String: Extent]>([:])

  init(requiresReadableChanges readable: Bool = true) { requiresReadableChanges = readable }

  /// Calls stores in its course.
  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    try HistoryQueryScope.$current.withValue(self) { try body() }
  }

  /// - Parameters:
  ///   - start: The number of the last transaction that is gone.
  ///   - end: That of the last one that there was.
  func recordExtent(of store: String, start: Int64, end: Int64) {
    extents.withLock { $0[store] = Extent(start: start, end: end) }
  }

  /// Where somebody begins who has read nothing, by the stores that were asked.
  var starts: [String: Int64] { extents.withLock { $0.mapValues(\.start) } }
  /// How far the histories are, by the stores that were asked.
  var ends: [String: Int64] { extents.withLock { $0.mapValues(\.end) } }
}
