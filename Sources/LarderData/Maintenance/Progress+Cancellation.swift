import Foundation
import LarderSQLite

// Cancellation of long work.

extension Progress {
  /// Throws if the progress is cancelled.
  ///
  /// - Throws: `CancellationError`.
  func checkCancellation() throws { if isCancelled { throw CancellationError() } }
}

extension Connection {
  /// Runs the body, and interrupts the connection when the progress is cancelled, also during a long statement.
  ///
  /// - Throws: The body's error, or `CancellationError`.
  func withCancellation<Result>(by progress: Progress?, _ body: () throws -> Result) throws -> Result {
    guard let progress else { return try body() }
    try progress.checkCancellation()
    do {
      let result = try withCancellation(when: { progress.isCancelled }, body)
      try progress.checkCancellation()
      return result
    } catch let error as SQLiteError where error.code == .interrupted && progress.isCancelled {
      throw CancellationError()
    }
  }
}
