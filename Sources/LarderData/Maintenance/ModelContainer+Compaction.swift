import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Gives the room that deleted models have left in the stores' files back to the disk, and has the rows of a model lie
  /// side by side again.
  ///
  /// ```swift
  /// try container.compact()
  /// ```
  ///
  /// SQLite uses free room again by itself, so this is of use after much was deleted. It writes each store anew, and needs
  /// as much room on the disk meanwhile; saves wait for it, also those of other processes, and give up after the time that
  /// they wait for one another. Models, identifiers and history stay as they are.
  ///
  /// A ``DataStore`` of one's own is left alone. In a stage of a migration it cannot be done: compact the store once it is
  /// open.
  ///
  /// - Returns: How many bytes the files have become smaller.
  /// - Throws: ``StoreError``; the store that it names holds what it held.
  @discardableResult
  public func compact() throws -> Int64 {
    var gained: Int64 = 0
    for one in core.stores {
      guard let store = one.sqlite else { continue }
      guard !store.isMigrationStage else {
        throw StoreError(
          .busy, store.url,
          "A stage of a migration is at work, in one transaction with all of the migration, and its container cannot be "
            + "compacted. Compact the store once it is open. It is as it was.")
      }
      guard one.allowsSave else {
        throw StoreError(
          .readOnly, store.url,
          "The container was opened with allowsSave: false, and its store cannot be compacted. Open it for saving.")
      }
      gained += try store.compact()
    }
    return gained
  }
}

extension SQLiteStore {
  fileprivate func compact() throws -> Int64 {
    try StoreError.mapErrors(errorURL, "compacting") {
      defer { truncateLog() }
      return try database.withWriter { connection in
        func size() throws -> Int64 {
          try (connection.int64("PRAGMA page_count") ?? 0) * (connection.int64("PRAGMA page_size") ?? 0)
        }
        let before = try size()
        try database.executeInTurn("VACUUM", on: connection)
        try connection.execute("PRAGMA optimize")
        database.signal?.signalCommit()
        return before - (try size())
      }
    }
  }

  /// Only then is the file smaller. Contexts let go of what they read within a moment; where somebody goes on reading what
  /// was before, a later checkpoint does it.
  private func truncateLog() {
    if database.isInMemory { return }
    try? database.withWriter { connection in
      connection.setBusyTimeout(.milliseconds(4 * StoreSession.leaseMilliseconds))
      defer { connection.setBusyTimeout(database.settings.busyTimeout) }
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
