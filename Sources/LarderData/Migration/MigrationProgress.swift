package import Foundation
package import LarderSQLite
import LarderSupport

/// Counts rows for a program that watches, over all the stores of a container as it opens, and notices when it wants no
/// more.
///
/// What is to be done is foretold before anything is, in shares of rows (see `MigrationWorkEstimate`), so that the total is
/// known from the first and the fraction never falls. Where a share turns out longer or shorter, its rows count for less or
/// more. The last unit is for the container: only one that is open completes it.
///
/// A program that watches none costs nothing but the asking.
package final class MigrationProgress: Sendable {
  private let progress: Progress?

  private struct State {
    /// Whether some store has foretold what it will do.
    var hasEstimate = false
    /// The units at whose ends the store's shares are; the first is where they begin.
    var boundaries: [Int64] = []
    /// How many shares have been begun.
    var startedParts = 0
    /// The rows of the share that is being done: those that there are, and those that are done.
    var expected: Int64 = 0
    var done: Int64 = 0
  }

  private let state = Locked(State())

  package init(_ progress: Progress?) { self.progress = progress }

  /// Whether anybody wants to know how many there are.
  package var isObserved: Bool { progress != nil }
  package var isCancelled: Bool { progress?.isCancelled ?? false }

  // MARK: What is to be done

  /// A store says what it will do.
  ///
  /// - Parameters:
  ///   - shares: The rows of each part of the work, in the order in which they are done.
  ///   - storesAfter: How many stores of the container are opened later. Each is taken to have as much to do.
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

  /// As many of some units as some rows are of all of them.
  private static func proportion(_ units: Int64, _ rows: Int64, of all: Int64) -> Int64 {
    all > 0 ? Int64(Double(units) * min(1, Double(rows) / Double(all))) : 0
  }

  // MARK: Doing it

  /// The next share begins; the one before is done.
  package func beginPart() {
    state.withLock { state in
      guard state.startedParts < state.boundaries.count else { return }
      (state.expected, state.done) = (0, 0)
      complete(to: state.boundaries[state.startedParts])
      state.startedParts += 1
    }
  }

  /// The rows that the share has indeed, before any of them is carried.
  package func addExpectedRows(_ rows: Int64) { state.withLock { $0.expected += rows } }

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

  /// All stores of the container are open.
  package func finish() {
    guard let progress else { return }
    // Where nothing was to be migrated there may be no units yet, and what has none is never finished.
    if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
    progress.completedUnitCount = progress.totalUnitCount
  }

  // MARK: Wanting no more

  /// - Throws: `CancellationError`.
  package func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Runs the body; what runs on the connection when the program wants no more fails.
  ///
  /// - Throws: What the body throws, or `CancellationError`.
  package func withCancellation<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
    guard let progress else { return try body() }
    do {
      let result = try connection.withCancellation(when: { progress.isCancelled }, body)
      try checkCancellation()
      return result
    } catch {
      // A stage's own work may have made another error of it.
      throw isCancelled ? CancellationError() : error
    }
  }
}
