import Foundation
import LarderSQLite

/// The table in which a store keeps its history: a row for each transaction that changed something.
package enum HistoryTable {
  static let name = StoreFormat.historyTable

  static let creation = """
    CREATE TABLE \(name) (
      number INTEGER PRIMARY KEY,
      time REAL NOT NULL,
      author TEXT,
      program TEXT NOT NULL,
      process TEXT NOT NULL,
      changes TEXT NOT NULL,
      size INTEGER NOT NULL
    ) STRICT
    """

  /// Numbers go on where they were, whatever has been deleted. What `size` sums up goes on from the row before.
  static let insert = """
    INSERT INTO \(name) SELECT 1 + max(coalesce((SELECT max(number) FROM \(name)), 0), \(deleted)), \
    ?1, ?2, ?3, ?4, ?5, ?6 + coalesce((SELECT size FROM \(name) ORDER BY number DESC LIMIT 1), 0)
    """

  /// The number of the last transaction that is gone, in SQL.
  static let deleted =
    "coalesce((SELECT value FROM \(StoreFormat.bookkeepingTable) "
    + "WHERE key = \(StoreFormat.literal(Bookkeeping.Key.historyDeleted))), 0)"

  /// The number of the last transaction that there was.
  static func end(on connection: Connection) throws -> Int64 {
    try connection.int64("SELECT max(coalesce((SELECT max(number) FROM \(name)), 0), \(deleted))") ?? 0
  }

  /// Forgets everything up to now. Whoever has read up to now is told that something is missing, too.
  static func beginAnew(on connection: Connection) throws {
    let end = try end(on: connection)
    try connection.execute("DELETE FROM \(name)")
    try Bookkeeping.setHistoryDeleted(end + 1, on: connection)
  }
}
