import Foundation
import LarderSQLite

// Work that somebody may want no more while it is done.

extension Progress {
  /// Goes on where the work is wanted still.
  ///
  /// - Throws: `CancellationError` where it is not.
  func checkCancellation() throws { if isCancelled { throw CancellationError() } }
}

extension Connection {
  /// Runs the body while it is wanted: what runs on the connection ends as the progress is cancelled, also in the middle of
  /// a long statement.
  ///
  /// - Throws: What the body throws, or `CancellationError`.
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
