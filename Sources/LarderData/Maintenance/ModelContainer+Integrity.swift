public import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Looks for damage in the container's stores: in the files, in what rows refer to, in tables and indexes, in the history,
  /// and in the values of every row of the container's models.
  ///
  /// ```swift
  /// for problem in try container.integrityCheck() { print(problem) }
  /// ```
  ///
  /// Everything is read, so a large store takes its time; others read and write meanwhile, and what they commit is not
  /// looked at. Of a store in memory they wait. Nothing is changed.
  /// A ``DataStore`` of one's own is left alone.
  ///
  /// - Parameter progress: Counts rows whose values were read; cancelling it ends the check while
  ///   rows are read.
  /// - Returns: What was found; empty where all is well. Of each kind and table a hundred are named at most.
  /// - Throws: ``StoreError`` where a store cannot be read at all; `CancellationError`.
  public func integrityCheck(progress: Progress? = nil) throws -> [IntegrityProblem] {
    try core.stores.flatMap { one in
      guard let store = one.sqlite else { return [IntegrityProblem]() }
      var check = IntegrityCheck(store, one.layouts, progress)
      return try check.run()
    }
  }
}
