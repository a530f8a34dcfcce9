import LarderSQLite
import LarderSupport
import Synchronization

extension SQLiteStore {
  /// Writes a save into the store's history, inside the save's transaction; what a stage of a migration does is the
  /// migration's.
  ///
  /// - Returns: The transaction's number.
  func record(_ changes: ChangeSet, on connection: Connection) throws -> Int64? {
    if isOfStage || !recordsHistory.load(ordering: .relaxed) { return nil }
    let retention = historyRetention.withLock { $0 } ?? HistoryRetention()
    let number = try HistoryRecorder.record(changes, retention, on: connection)
    if let number { others?.comes(number) }
    return number
  }
}
