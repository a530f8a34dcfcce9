import LarderSQLite
import LarderSupport

/// How far a store is, in one statement.
struct StoreFacts {
  /// The number of the last transaction that the history has, or had.
  let last: Int64
  /// The number of the last one that is gone.
  let deleted: Int64
  /// How many commits the store accounts for: those of the history, and those that are no part of it.
  let accounted: Int64
  /// SQLite's number of the schema, which each change of a table raises.
  let schema: Int64
  /// The version of the models: a migration may have changed values alone.
  let version: String?

  private static let sql = """
    SELECT coalesce((SELECT max(number) FROM \(HistoryTable.name)), 0), \(HistoryTable.deleted), \
    coalesce((SELECT CAST(value AS INTEGER) FROM \(StoreFormat.bookkeepingTable) \
    WHERE key = \(StoreFormat.literal(Bookkeeping.Key.commits))), 0), \
    (SELECT value FROM \(StoreFormat.bookkeepingTable) WHERE key = \(StoreFormat.literal(Bookkeeping.Key.version)))
    """

  init(on connection: Connection) throws {
    schema = try connection.withStatement(for: "PRAGMA schema_version") { statement in
      return try statement.step() ? statement.int64(0) : 0
    }
    // A store that was made before there was a history, and is only read, has none.
    guard try HistoryTable.isThere(on: connection) else {
      (last, deleted, accounted, version) = (0, 0, 0, nil)
      return
    }
    (last, deleted, accounted, version) = try connection.withStatement(for: StoreFacts.sql) { statement in
      guard try statement.step() else { return (0, 0, 0, nil) }
      // Whatever a damaged file says.
      let numbers = (0..<3).map { min(max(statement.int64(Int32($0)), 0), StoreFormat.largestCount) }
      let last = max(numbers[0], numbers[1])
      return (last, numbers[1], last + numbers[2], statement.isNull(3) ? nil : statement.string(3))
    }
  }
}
