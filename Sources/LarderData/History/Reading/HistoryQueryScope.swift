import LarderSQLite
import LarderSupport

/// A history query of a container's stores, including data stores. It collects the extent of each SQLite store's history, also
/// of SQLite stores that a data store wraps.
///
/// A token stands for all of a container's stores. A store ignores the numbers of the other stores, and if there is no number
/// for the store itself, it reads from the start. A request cannot contain the extents, because a program's data store passes
/// the request on.
final class HistoryQueryScope: Sendable {
  /// The query during which stores are called.
  @TaskLocal static var current: HistoryQueryScope?

  private struct Extent {
    var start: Int64
    var end: Int64
  }

  /// Whether the changes of the transactions must be readable.
  let requiresReadableChanges: Bool
  private let extents = Locked<[String: Extent]>([:])

  init(requiresReadableChanges readable: Bool = true) { requiresReadableChanges = readable }

  /// Calls stores as part of the query.
  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    try HistoryQueryScope.$current.withValue(self) { try body() }
  }

  /// Records the extent of a store's history.
  ///
  /// - Parameters:
  ///   - start: The number of the last deleted transaction.
  ///   - end: The number of the last transaction.
  func recordExtent(of store: String, start: Int64, end: Int64) {
    extents.withLock { $0[store] = Extent(start: start, end: end) }
  }

  /// The number after which a caller that has read nothing starts, by queried store.
  var starts: [String: Int64] { extents.withLock { $0.mapValues(\.start) } }
  /// The number of the last transaction, by queried store.
  var ends: [String: Int64] { extents.withLock { $0.mapValues(\.end) } }
}
