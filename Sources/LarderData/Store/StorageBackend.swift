package import LarderSQLite

/// A data store of another kind behind an SQLite store in memory, which caches the rows that were fetched so far.
package protocol StorageBackend: AnyObject, Sendable {
  /// The data store's own identifier.
  var identifier: String { get }
  /// The SQLite store that keeps the data store's rows, if any; only the data store uses it.
  var sqliteStore: SQLiteStore? { get }
  /// The maximum duration of a request before waiting requests fail.
  static var requestTimeout: Duration { get }

  /// Returns a row ID for a new object; `nil` if any row ID will do until the data store has saved the object.
  func nextIdentifier() -> Int64?
  /// Runs the body while no other thread calls the data store.
  ///
  /// - Throws: ``StoreError`` with the code `busy` after ``requestTimeout``, and the error of the body.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result
  /// Prepares the tables in memory, after they were created.
  func prepare(_ layouts: [_ModelLayout], on connection: Connection) throws
  /// Removes every row.
  func erase() throws
  /// Removes the cached rows.
  func invalidateRows()
}
