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
  /// A ``DataStore`` of one's own is not looked at.
  ///
  /// - Parameter progress: Counts rows, and values apart from them, that were read; its total is how many there are. It is
  ///   finished when the check is. Cancelling it ends the check, also while the file's pages are read.
  /// - Returns: What was found; empty where all is well. Of each kind and table a hundred are named at most.
  /// - Throws: ``StoreError`` where a store cannot be read at all; `CancellationError`; ``DataStoreError/unsupportedFeature``
  ///   where no store is SQLite's, so that nothing could be looked at.
  public func integrityCheck(progress: Progress? = nil) throws -> [IntegrityProblem] {
    let checks = core.stores.compactMap { one in one.sqlite.map { IntegrityCheck($0, one.layouts, progress) } }
    if checks.isEmpty, !core.stores.isEmpty { throw DataStoreError.unsupportedFeature }
    if let progress {
      progress.totalUnitCount = progress.completedUnitCount + (try checks.reduce(0) { try $0 + $1.expectedCount() })
    }
    let problems = try checks.flatMap { check in
      var check = check
      return try check.run()
    }
    // Rows that could not be read were counted, and others may have come or gone since.
    if let progress { progress.completedUnitCount = progress.totalUnitCount }
    return problems
  }
}
