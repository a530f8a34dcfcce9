extension Database {
  /// Restarts the write-ahead log if it has become long. SQLite restarts it only if no snapshot is held at that moment;
  /// overlapping readers, such as those of live queries, would let it grow without bound.
  ///
  /// Leases are released at once if possible. The writer waits briefly for other readers, and asks again when the log
  /// has grown by the number of frames that a commit checkpoints. Called on the writing thread, after its commit.
  func restartLogIfLong(_ writer: Connection) {
    let moves = settings.checkpointFrames
    let (frames, limit) = (writer.logFrameCount, DatabaseSettings.logRestartFactor * moves)
    guard frames >= limit, moves > 0 else {
      nextLogRestart = limit
      return
    }
    guard frames >= nextLogRestart, !writer.isInTransaction else { return }
    defer { writer.setBusyTimeout(settings.busyTimeout) }
    let pauses =
      frames < DatabaseSettings.longLogFactor * moves
      ? DatabaseSettings.logRestartWaits : DatabaseSettings.longLogRestartWaits
    for pause in pauses {
      snapshotLeases.releaseAll()
      writer.setBusyTimeout(pause)
      // Once the whole log is in the database, new snapshots read the database alone and no longer block the log.
      guard (try? writer.restartLog()) ?? false else { continue }
      writer.logDidRestart()
      nextLogRestart = limit
      return
    }
    nextLogRestart = frames + moves
  }
}

extension Connection {
  /// Moves the log into the database, so that the next commit starts the log again.
  ///
  /// - Returns: `false` if a reader still holds a snapshot.
  fileprivate func restartLog() throws -> Bool {
    try withStatement(for: "PRAGMA wal_checkpoint(RESTART)") { statement in
      try statement.step() && statement.int64(0) == 0
    }
  }
}
