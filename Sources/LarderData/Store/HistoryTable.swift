import Foundation
package import LarderSQLite

/// The table in which a store keeps its history: a row for each transaction that changed something.
package enum HistoryTable {
  package static let name = StoreFormat.historyTable
  /// What its transactions are numbered by.
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

  /// Numbers go on where they were, whatever has been deleted. What `size` sums up goes on from the row before.
  ///
  /// Of one that selects from its own table SQLite would gather the rows in a table of their own first.
  static let insert = """
    INSERT INTO \(name) VALUES (1 + max(coalesce((SELECT max(number) FROM \(name)), 0), \(lastDeletedSQL)), \
    ?1, ?2, ?3, ?4, ?5 + coalesce((SELECT min(size, 1 << 60) FROM \(name) ORDER BY number DESC LIMIT 1), 0), ?6)
    """

  /// The number of the last transaction that is gone, in SQL.
  static let lastDeletedSQL =
    "coalesce((SELECT CAST(value AS INTEGER) FROM \(StoreFormat.metadataTable) "
    + "WHERE key = \(StoreFormat.literal(StoreMetadata.Key.historyDeleted))), 0)"

  /// A store that was made before there was a history, and is only read, has none.
  static func exists(on connection: Connection) throws -> Bool {
    try connection.withStatement(for: "SELECT 1 FROM sqlite_schema WHERE name = ?1") { statement in
      statement.bind(1, name)
      return try statement.step()
    }
  }

  /// The number of the last transaction that there was.
  static func lastNumber(on connection: Connection) throws -> Int64 {
    try connection.int64("SELECT max(coalesce((SELECT max(number) FROM \(name)), 0), \(lastDeletedSQL))") ?? 0
  }

  /// Forgets everything up to now. Whoever has read up to now is told that something is missing, too.
  ///
  /// - Returns: The number of the transaction that does it, which is gone at once.
  @discardableResult
  package static func reset(on connection: Connection) throws -> Int64 {
    let number = try min(lastNumber(on: connection), .max - 1) + 1
    try connection.execute("DELETE FROM \(name)")
    try StoreMetadata.setLastDeletedTransaction(number, on: connection)
    return number
  }
}

// MARK: - What is too much

extension HistoryTable {
  /// Every how many transactions it is looked at.
  static let pruningInterval: Int64 = 64
  /// How many go at once, at most: more than come meanwhile, and few enough that a save does not feel them.
  private static let pruningBatchSize = 512

  /// Forgets the oldest transactions as far as they are too old, or too much, but never the one that is being written.
  ///
  /// - Parameters:
  ///   - number: That one.
  ///   - times: When what stays was saved, in seconds as dates are stored. What is from a later time was saved while the
  ///     clock was wrong, and must not stay for ever.
  ///   - size: How many bytes may be left.
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
      // Up to the first that stays: one that was saved while the clock was wrong takes no others along.
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
