import LarderSQLite
import LarderSupport
import Synchronization

extension SQLiteStore {
  /// Records a save in the store's history, inside the save's transaction. The writes of a migration stage
  /// belong to the migration, and are not recorded here.
  ///
  /// - Returns: The transaction's number, or `nil` if nothing was recorded.
  func recordHistory(of changes: ChangeSet, on connection: Connection) throws -> Int64? {
    if isMigrationStage || !recordsHistory.load(ordering: .relaxed) { return nil }
    let retention = historyRetention.withLock { $0 } ?? HistoryRetention()
    let number = try HistoryRecorder.record(changes, retention, on: connection)
    if let number { externalCommits?.willCommit(number) }
    return number
  }
}
