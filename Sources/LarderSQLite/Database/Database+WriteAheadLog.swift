extension Database {
  /// Has the write-ahead log begin anew where it has become long, which it does by itself only if nobody holds a snapshot at
  /// that moment: readers that follow one another, as those of live queries do, would let it grow for ever.
  ///
  /// Whoever can lets go at once. The others are waited for in short, and asked again when the log has grown by as much as a
  /// commit moves into the database. On the thread that writes, after its commit.
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
      // New snapshots are of the database alone once all of the log is there, and keep nothing any more.
      guard (try? writer.restartLog()) ?? false else { continue }
      writer.logDidRestart()
      nextLogRestart = limit
      return
    }
    nextLogRestart = frames + moves
  }
}

extension Connection {
  /// Moves the log into the database, and has the next commit begin it anew.
  ///
  /// - Returns: False where somebody still holds a snapshot.
  fileprivate func restartLog() throws -> Bool {
    try withStatement(for: "PRAGMA wal_checkpoint(RESTART)") { statement in
      try statement.step() && statement.int64(0) == 0
    }
  }
}
