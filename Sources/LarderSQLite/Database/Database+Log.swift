extension Database {
  /// Has the write-ahead log begin anew where it has become long, which it does by itself only if nobody holds a snapshot at
  /// that moment: readers that follow one another, as those of live queries do, would let it grow for ever.
  ///
  /// Whoever can lets go at once. The others are waited for in short, and asked again when the log has grown by as much as a
  /// commit moves into the database. On the thread that writes, after its commit.
  func keepLogShort(_ writer: Connection) {
    let moves = settings.checkpointFrames
    let (frames, limit) = (writer.logFrames, Settings.logLimit * moves)
    guard frames >= limit, moves > 0 else {
      restartsLogAt = limit
      return
    }
    guard frames >= restartsLogAt, !writer.isInTransaction else { return }
    defer { writer.setBusyLimit(settings.busyLimit) }
    let pauses = frames < Settings.longLogLimit * moves ? Settings.logPauses : Settings.longLogPauses
    for pause in pauses {
      snapshotHolders.letGo()
      writer.setBusyLimit(pause)
      // New snapshots are of the database alone once all of the log is there, and keep nothing any more.
      guard (try? writer.beginLogAnew()) ?? false else { continue }
      writer.logBegins()
      restartsLogAt = limit
      return
    }
    restartsLogAt = frames + moves
  }
}

extension Connection {
  /// Moves the log into the database, and has the next commit begin it anew.
  ///
  /// - Returns: False where somebody still holds a snapshot.
  fileprivate func beginLogAnew() throws -> Bool {
    try withStatement(for: "PRAGMA wal_checkpoint(RESTART)") { statement in
      try statement.step() && statement.int64(0) == 0
    }
  }
}
