package import LarderSQLite

/// A data store of another kind behind an SQLite store in memory, which then holds the rows that were fetched so far.
package protocol StorageBackend: AnyObject, Sendable {
  /// The data store's own identifier.
  var identifier: String { get }
  /// The SQLite store that keeps the data store's rows, where there is one: it is used by the data store alone.
  var sqliteStore: SQLiteStore? { get }
  /// How long a request may take before others fail that wait for it.
  static var requestTimeout: Duration { get }

  /// Returns a row ID for a new object; nil where any will do, until the data store has saved it.
  func nextIdentifier() -> Int64?
  /// Runs the body while no other thread calls the data store.
  ///
  /// - Throws: ``StoreError`` with the code `busy` after ``longestWait``, and what the body throws.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result
  /// Prepares the tables in memory, once they are made.
  func prepare(_ layouts: [_ModelLayout], on connection: Connection) throws
  /// Removes every row.
  func erase() throws
  /// Forgets what is kept of its rows.
  func invalidateRows()
}
