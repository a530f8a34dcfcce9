import Foundation
package import LarderSQLite

/// The table in which a store keeps its history: a row for each transaction that changed rows.
package enum HistoryTable {
  package static let name = StoreFormat.historyTable
  /// The column with the transaction numbers.
  package static let numberColumn = "number"

  package static let creation = """
    CREATE TABLE \(name) (
      \(numberColumn) INTEGER PRIMARY KEY,
      time REAL NOT NULL,
      author TEXT,
      program TEXT NOT NULL,
      process TEXT NOT NULL,
      size INTEGER NOT NULL,
      changes TEXT NOT NULL
    ) STRICT
    """

  /// The statement that inserts a transaction. Numbers continue after deletions. `size` is a running total, which continues
  /// from the previous row.
  ///
  /// Subqueries instead of an `INSERT … SELECT` from the same table, for which SQLite would first copy the rows to a temporary
  /// table.
  static let insert = """
    INSERT INTO \(name) VALUES (1 + max(coalesce((SELECT max(number) FROM \(name)), 0), \(lastDeletedSQL)), \
    ?1, ?2, ?3, ?4, ?5 + coalesce((SELECT min(size, 1 << 60) FROM \(name) ORDER BY number DESC LIMIT 1), 0), ?6)
    """

  /// The number of the last deleted transaction, as SQL.
  static let lastDeletedSQL =
    "coalesce((SELECT CAST(value AS INTEGER) FROM \(StoreFormat.metadataTable) "
    + "WHERE key = \(StoreFormat.literal(StoreMetadata.Key.historyDeleted))), 0)"

  /// Whether the store has the table: a read-only store from before the history was introduced has none.
  static func exists(on connection: Connection) throws -> Bool {
    try connection.withStatement(for: "SELECT 1 FROM sqlite_schema WHERE name = ?1") { statement in
      statement.bind(1, name)
      return try statement.step()
    }
  }

  /// Returns the number of the last transaction, which may be deleted.
  static func lastNumber(on connection: Connection) throws -> Int64 {
    try connection.int64("SELECT max(coalesce((SELECT max(number) FROM \(name)), 0), \(lastDeletedSQL))") ?? 0
  }

  /// Deletes the whole history. A reader with an up-to-date token is notified, too, that transactions are missing.
  ///
  /// - Returns: The number of the transaction of the reset itself, which counts as deleted at once.
  @discardableResult
  package static func reset(on connection: Connection) throws -> Int64 {
    let number = try min(lastNumber(on: connection), .max - 1) + 1
    try connection.execute("DELETE FROM \(name)")
    try StoreMetadata.setLastDeletedTransaction(number, on: connection)
    return number
  }
}

// MARK: - Pruning

extension HistoryTable {
  /// The number of transactions between two prunings.
  static let pruningInterval: Int64 = 64
  /// The maximum number of deleted transactions per pruning: more than are added meanwhile, and few enough for a fast save.
  private static let pruningBatchSize = 512

  /// Deletes the oldest transactions that exceed the age or the size limit, but never the one that is being written.
  ///
  /// - Parameters:
  ///   - number: The number of the transaction that is being written.
  ///   - times: The range of times of transactions to keep, in seconds as dates are stored. A transaction from a later time was
  ///     saved while the clock was wrong, and must not be kept forever.
  ///   - size: The maximum number of bytes to keep.
  static func prune(
    before number: Int64, retaining times: ClosedRange<Double>, size: Int64, on connection: Connection
  ) throws {
    let sql = """
      SELECT max(number), min(number) FILTER (WHERE time BETWEEN ?2 AND ?4 AND size > last - ?3) FROM \
      (SELECT number, time, size, (SELECT size FROM \(name) WHERE number = ?1) AS last FROM \(name) \
      WHERE number < ?1 ORDER BY number LIMIT \(pruningBatchSize))
      """
    let gone = try connection.withStatement(for: sql) { statement -> Int64 in
      statement.bind(1, number)
      statement.bind(2, times.lowerBound)
      statement.bind(3, size)
      statement.bind(4, times.upperBound)
      guard try statement.step() else { return 0 }
      // Up to the first that is kept: a transaction that was saved while the clock was wrong deletes no newer ones.
      return statement.isNull(1) ? statement.int64(0) : statement.int64(1) - 1
    }
    guard gone > 0 else { return }
    let deleted = try connection.withStatement(for: "DELETE FROM \(name) WHERE number <= ?1") { statement in
      statement.bind(1, gone)
      try statement.run()
      return connection.changes
    }
    if deleted > 0 { try StoreMetadata.setLastDeletedTransaction(gone, on: connection) }
  }
}
