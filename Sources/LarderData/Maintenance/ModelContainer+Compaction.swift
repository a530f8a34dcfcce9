import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Returns the free space that deleted models have left in the stores' files to the disk, and stores the rows of each
  /// model contiguously again.
  ///
  /// ```swift
  /// try container.compact()
  /// ```
  ///
  /// SQLite reuses free space by itself, so this is useful after many deletions. It writes each store again, and
  /// temporarily needs as much space on the disk as the store. Saves wait for it, also those of other processes, and
  /// fail after their usual timeout. Models, identifiers and history stay unchanged.
  ///
  /// A custom ``DataStore`` is skipped. A stage of a migration cannot call this: compact the store once it is open.
  ///
  /// - Returns: The number of bytes by which the files have shrunk.
  /// - Throws: ``StoreError``; the contents of the store that it names are unchanged.
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

  /// Truncates the log, since the file shrinks only then. Contexts release their snapshots within a moment; if a reader
  /// keeps an old snapshot, a later checkpoint truncates the log.
  private func truncateLog() {
    if database.isInMemory { return }
    try? database.withWriter { connection in
      connection.setBusyTimeout(.milliseconds(4 * StoreSession.leaseMilliseconds))
      defer { connection.setBusyTimeout(database.settings.busyTimeout) }
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
