import LarderSQLite
import LarderSupport

/// The position of a store, read by one statement.
struct StoreRevision {
  /// The number of the last transaction that the history has, or had.
  let lastTransaction: Int64
  /// The number of the last transaction that was deleted from the history.
  let lastDeletedTransaction: Int64
  /// The number of commits that the store accounts for: those in the history, and unrecorded ones.
  let accountedCommits: Int64
  /// SQLite's schema version, which each change of a table increments.
  let schemaVersion: Int64
  /// The version of the models: a migration may have changed values only.
  let modelVersion: String?

  private static let sql = """
    SELECT coalesce((SELECT max(number) FROM \(HistoryTable.name)), 0), \(HistoryTable.lastDeletedSQL), \
    coalesce((SELECT CAST(value AS INTEGER) FROM \(StoreFormat.metadataTable) \
    WHERE key = \(StoreFormat.literal(StoreMetadata.Key.commits))), 0), \
    (SELECT value FROM \(StoreFormat.metadataTable) WHERE key = \(StoreFormat.literal(StoreMetadata.Key.version)))
    """

  init(on connection: Connection) throws {
    schemaVersion = try connection.withStatement(for: "PRAGMA schema_version") { statement in
      return try statement.step() ? statement.int64(0) : 0
    }
    // A read-only store from before the history was introduced has no history table.
    guard try HistoryTable.exists(on: connection) else {
      (lastTransaction, lastDeletedTransaction, accountedCommits, modelVersion) = (0, 0, 0, nil)
      return
    }
    (lastTransaction, lastDeletedTransaction, accountedCommits, modelVersion) = try connection.withStatement(
      for: StoreRevision.sql
    ) { statement in
      guard try statement.step() else { return (0, 0, 0, nil) }
      // Clamped, as a damaged file may contain any number.
      let numbers = (0..<3).map { min(max(statement.int64(Int32($0)), 0), StoreFormat.maximumCounter) }
      let last = max(numbers[0], numbers[1])
      return (last, numbers[1], last + numbers[2], statement.isNull(3) ? nil : statement.string(3))
    }
  }
}
