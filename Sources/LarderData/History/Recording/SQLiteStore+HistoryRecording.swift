import LarderSQLite
import LarderSupport
import Synchronization

extension SQLiteStore {
  /// Writes a save into the store's history, inside the save's transaction; what a stage of a migration does is the
  /// migration's.
  ///
  /// - Returns: The transaction's number.
  func recordHistory(of changes: ChangeSet, on connection: Connection) throws -> Int64? {
    if isMigrationStage || !recordsHistory.load(ordering: .relaxed) { return nil }
    let retention = historyRetention.withLock { $0 } ?? HistoryRetention()
    let number = try HistoryRecorder.record(changes, retention, on: connection)
    if let number { externalCommits?.willCommit(number) }
    return number
  }
}
