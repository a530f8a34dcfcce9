package import Foundation
package import LarderSQLite
import LarderSupport

/// The progress of the migrations of all stores of a container, in rows, and the check for its cancellation.
///
/// The work is estimated before it begins, in parts measured in rows (see `MigrationWorkEstimate`), so that the total
/// is known from the beginning and the fraction never decreases. If a part turns out longer or shorter, its rows count
/// for less or more. The last unit is for the container: it is completed only when the container is open.
///
/// Without an observer the only cost is the check for one.
package final class MigrationProgress: Sendable {
  private let progress: Progress?

  private struct State {
    /// Whether a store has provided its estimate.
    var hasEstimate = false
    /// The units at the ends of the store's parts; the first element is their beginning.
    var boundaries: [Int64] = []
    /// The number of parts that have begun.
    var startedParts = 0
    /// The rows of the current part: all, and those that are done.
    var expected: Int64 = 0
    var done: Int64 = 0
  }

  private let state = Locked(State())

  package init(_ progress: Progress?) { self.progress = progress }

  /// Whether the program observes the progress.
  package var isObserved: Bool { progress != nil }
  package var isCancelled: Bool { progress?.isCancelled ?? false }

  // MARK: Estimates

  /// Sets the estimate of a store.
  ///
  /// - Parameters:
  ///   - shares: The rows of each part of the work, in the order of execution.
  ///   - storesAfter: The number of stores of the container that are opened later. Each is assumed to have the same
  ///     amount of work.
  package func setExpectedWork(_ shares: [Int64], remainingStores storesAfter: Int) {
    guard let progress else { return }
    state.withLock { state in
      let all = shares.reduce(0, +)
      let begin = max(0, progress.completedUnitCount)
      let stores = Int64(storesAfter + 1)
      if !state.hasEstimate { progress.totalUnitCount = begin + all * stores + 1 }
      state.hasEstimate = true
      let budget = max(0, progress.totalUnitCount - 1 - begin) / stores
      var before: Int64 = 0
      state.boundaries = [begin]
      for share in shares {
        before += share
        state.boundaries.append(begin + MigrationProgress.proportion(budget, before, of: all))
      }
      (state.startedParts, state.expected, state.done) = (0, 0, 0)
    }
  }

  /// Returns the share of the units that corresponds to a share of the rows.
  private static func proportion(_ units: Int64, _ rows: Int64, of all: Int64) -> Int64 {
    all > 0 ? Int64(Double(units) * min(1, Double(rows) / Double(all))) : 0
  }

  // MARK: Execution

  /// Begins the next part, and completes the one before.
  package func beginPart() {
    state.withLock { state in
      guard state.startedParts < state.boundaries.count else { return }
      (state.expected, state.done) = (0, 0)
      complete(to: state.boundaries[state.startedParts])
      state.startedParts += 1
    }
  }

  /// Adds to the actual number of rows of the part, before any of them is copied.
  package func addExpectedRows(_ rows: Int64) { state.withLock { $0.expected += rows } }

  /// Records rows that were copied.
  ///
  /// - Throws: `CancellationError`.
  package func recordMigratedRows(_ rows: Int64) throws {
    guard isObserved else { return }
    state.withLock { state in
      state.done += rows
      guard state.startedParts > 0, state.startedParts < state.boundaries.count else { return }
      let begin = state.boundaries[state.startedParts - 1]
      complete(
        to: begin
          + MigrationProgress.proportion(state.boundaries[state.startedParts] - begin, state.done, of: state.expected))
    }
    try checkCancellation()
  }

  private func complete(to units: Int64) {
    if let progress, units > progress.completedUnitCount { progress.completedUnitCount = units }
  }

  /// Completes the progress when all stores of the container are open.
  package func finish() {
    guard let progress else { return }
    // If nothing was migrated there may be no units, and a progress without units is never finished.
    if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
    progress.completedUnitCount = progress.totalUnitCount
  }

  // MARK: Cancellation

  /// Throws if the progress is cancelled.
  ///
  /// - Throws: `CancellationError`.
  package func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Runs the body; statements on the connection fail when the progress is cancelled.
  ///
  /// - Throws: The body's error, or `CancellationError`.
  package func withCancellation<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
    guard let progress else { return try body() }
    do {
      let result = try connection.withCancellation(when: { progress.isCancelled }, body)
      try checkCancellation()
      return result
    } catch {
      // A stage's own closure may have replaced the error.
      throw isCancelled ? CancellationError() : error
    }
  }
}
