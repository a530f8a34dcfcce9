import Foundation
import LarderSQLite
import LarderSupport

/// The recording of a save's changes in the store's history, inside the save's own transaction.
enum HistoryRecorder {
  /// The name of the program, as transactions contain it.
  static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  static let process = String(ProcessInfo.processInfo.processIdentifier)

  /// Inserts a transaction, and prunes the history.
  ///
  /// - Returns: The number of the transaction, or `nil` if there are no changes.
  static func record(_ changes: ChangeSet, _ retention: HistoryRetention, on connection: Connection) throws -> Int64? {
    guard let text = changes.historyJSON() else { return nil }
    let number = try connection.withStatement(for: HistoryTable.insert) { statement in
      statement.bind(1, Date().timeIntervalSinceReferenceDate)
      if let author = changes.author { statement.bind(2, author) } else { statement.bindNull(2) }
      statement.bind(3, program)
      statement.bind(4, process)
      statement.bind(5, Int64(text.count))
      try text.withUnsafeBufferPointer { text in
        statement.bind(6, unownedText: text)
        try statement.run()
      }
      return connection.lastInsertRowID
    }
    // A single large transaction prunes the history, like a number of small ones.
    let isLarge = retention.size.map { text.count > $0 / Int(HistoryTable.pruningInterval) } ?? false
    if number % HistoryTable.pruningInterval == 0 || isLarge, retention != .unlimited {
      let now = Date().timeIntervalSinceReferenceDate
      let oldest = retention.maximumAge.map { now - $0 } ?? -.infinity
      let day = 86_400.0
      try HistoryTable.prune(
        before: number, retaining: min(oldest, now)...(retention.maximumAge == nil ? .infinity : now + day),
        size: Int64(retention.size ?? .max), on: connection)
    }
    return number
  }
}
