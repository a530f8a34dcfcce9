import Foundation
import LarderSQLite

/// Counts rows for a program that watches, and notices when it wants no more.
///
/// A program that watches none costs nothing but the counting.
final class MigrationProgress {
  private let progress: Progress?

  init(_ progress: Progress?) { self.progress = progress }

  /// Whether anybody wants to know how many there are.
  var isWatched: Bool { progress != nil }
  var isCancelled: Bool { progress?.isCancelled ?? false }

  func expect(_ rows: Int64) {
    guard let progress else { return }
    // Below 0 nothing is known yet.
    progress.totalUnitCount = max(0, progress.totalUnitCount) + rows
  }

  /// - Throws: `CancellationError`.
  func carried(_ rows: Int64) throws {
    guard let progress else { return }
    progress.completedUnitCount += rows
    try look()
  }

  /// - Throws: `CancellationError`.
  func look() throws { if isCancelled { throw CancellationError() } }

  /// Runs the body; what runs on the connection when the program wants no more fails.
  ///
  /// - Throws: What the body throws, or `CancellationError`.
  func watch<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    guard let progress else { return try body() }
    do {
      let result = try connection.watched(by: { progress.isCancelled }, body)
      try look()
      return result
    } catch {
      // A stage's own work may have made another error of it.
      throw isCancelled ? CancellationError() : error
    }
  }
}
