import Foundation

/// Counts rows for a program that watches, and notices when it wants no more.
///
/// A program that watches none costs nothing but the counting.
final class MigrationProgress {
  private let progress: Progress?

  init(_ progress: Progress?) { self.progress = progress }

  /// Whether anybody wants to know how many there are.
  var isWatched: Bool { progress != nil }

  func expect(_ rows: Int64) {
    guard let progress else { return }
    // Below 0 nothing is known yet.
    progress.totalUnitCount = max(0, progress.totalUnitCount) + rows
  }

  /// - Throws: `CancellationError`.
  func carried(_ rows: Int64) throws {
    guard let progress else { return }
    progress.completedUnitCount += rows
    if progress.isCancelled { throw CancellationError() }
  }
}
