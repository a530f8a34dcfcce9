import LarderSQLite
import LarderSupport

/// How far a store is, in one statement.
struct StoreRevision {
  /// The number of the last transaction that the history has, or had.
  let lastTransaction: Int64
  /// The number of the last one that is gone.
  let lastDeletedTransaction: Int64
  /// How many commits the store accounts for: those of the history, and those that are no part of it.
  let accountedCommits: Int64
  /// SQLite's number of the schema, which each change of a table raises.
  let schemaVersion: Int64
  /// The version of the models: a migration may have changed values alone.
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
    // A store that was made before there was a history, and is only read, has none.
    guard try HistoryTable.exists(on: connection) else {
      (lastTransaction, lastDeletedTransaction, accountedCommits, modelVersion) = (0, 0, 0, nil)
      return
    }
    (lastTransaction, lastDeletedTransaction, accountedCommits, modelVersion) = try connection.withStatement(
      for: StoreRevision.sql
    ) { statement in
      guard try statement.step() else { return (0, 0, 0, nil) }
      // Whatever a damaged file says.
      let numbers = (0..<3).map { min(max(statement.int64(Int32($0)), 0), StoreFormat.maximumCounter) }
      let last = max(numbers[0], numbers[1])
      return (last, numbers[1], last + numbers[2], statement.isNull(3) ? nil : statement.string(3))
    }
  }
}
