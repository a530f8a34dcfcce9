public import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Checks the container's stores for damage: the files, the references between rows, tables and indexes, the history,
  /// and the values of every row of the container's models.
  ///
  /// ```swift
  /// for problem in try container.integrityCheck() { print(problem) }
  /// ```
  ///
  /// Everything is read, so a large store takes time. Other contexts and processes read and write meanwhile, and their
  /// commits are not checked; users of a store in memory wait. Nothing is changed. A custom ``DataStore`` is not
  /// checked.
  ///
  /// - Parameter progress: Counts the rows and external values that were read; its total is their number. It is
  ///   finished when the check is. Cancelling it ends the check, also while the file's pages are being read.
  /// - Returns: The problems; empty for an intact store. At most a hundred are reported for each kind and table.
  /// - Throws: ``StoreError`` if a store cannot be read at all; `CancellationError`;
  ///   ``DataStoreError/unsupportedFeature`` if no store is an SQLite store, so that nothing can be checked.
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
    // Rows that could not be read were counted, and rows may have been added or deleted since.
    if let progress { progress.completedUnitCount = progress.totalUnitCount }
    return problems
  }
}
