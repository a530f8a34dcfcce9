import Foundation
import LarderSQLite
import LarderSupport
import Synchronization

// Delivering other processes' commits to the contexts and observers of this process.

extension SQLiteStore {
  /// Polls for commits of other processes, and notifies all observers of this process.
  ///
  /// - Parameters:
  ///   - connection: A connection as for ``ExternalCommitMonitor/poll(on:in:check:)``.
  ///   - always: Whether to poll even if there seems to be no new commit.
  /// - Returns: Whether there was a commit.
  /// - Throws: ``StoreError`` with the code `schemaMismatch` if another process has migrated the store; errors of SQLite.
  @discardableResult
  func pollExternalCommits(on connection: Connection, always: Bool = false) throws -> Bool {
    guard let externalCommits, always || externalCommits.mayHaveCommits(on: connection) else { return false }
    // No other thread sees this commit as new after the poll: until it is published, live queries read the store.
    observers.beginCommit()
    defer { observers.endCommit() }
    let news: ExternalCommitMonitor.Changes
    do {
      news = try externalCommits.poll(on: connection, in: self, check: requireSameModels)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // Notify live queries, whose next fetch throws the error.
      if !wasMigratedExternally.exchange(true, ordering: .acquiringAndReleasing) { publishUnknownChanges() }
      throw error
    }
    switch news {
    case .nothing: return false
    case .known(let changes):
      // Before the notification: an observer that reads must not use a snapshot from before the commit.
      commitCount.add(1, ordering: .releasing)
      for change in changes { publishExternal(change) }
    case .unknown: publishUnknownChanges()
    }
    return true
  }

  private func publishUnknownChanges() {
    commitCount.add(1, ordering: .releasing)
    observers.didCommitUnknownChanges()
  }

  /// Runs the body in a transaction of the writer, which first delivers other processes' commits, and then signals its own.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let externalCommits else { return try database.write(body) }
    var before: (count: UInt32?, own: Int64) = (nil, 0)
    let result = try database.write { connection in
      try pollExternalCommits(on: connection)
      before = (connection.commitCount, connection.logCommitCount)
      do { return try body(connection) } catch {
        externalCommits.didRollBack(isLocked: true)
        throw error
      }
    } committed: { connection in
      externalCommits.didCommit()
      if let count = before.count, connection.logCommitCount == before.own + 1 { externalCommits.advance(after: count) }
    } failed: {
      externalCommits.didRollBack(isLocked: false)
    }
    database.signal?.signalCommit()
    return result
  }

  /// Polls after a signal of another process, or after the polling interval.
  func pollAfterSignal() {
    // The migration was reported, and is permanent.
    if wasMigratedExternally.load(ordering: .acquiring) { return }
    do {
      let reader = try database.checkOut()
      defer { database.checkIn(reader) }
      guard let externalCommits, externalCommits.mayHaveCommits(on: reader.connection) else { return }
      try reader.beginSnapshot()
      try pollExternalCommits(on: reader.connection)
      hasPollFailed.store(false, ordering: .relaxed)
    } catch {
      // The next fetch or save polls again, and throws the error. Here it is logged once.
      if hasPollFailed.exchange(true, ordering: .relaxed) { return }
      Log.warning("What other processes saved to \(url.path) could not be read. \(error)")
    }
  }

  /// Polls after a container of this process has opened the file again and migrated it: live queries of this store fetch and
  /// receive the error.
  func pollAfterMigration() {
    guard let externalCommits, let reader = try? database.checkOut() else { return }
    defer { database.checkIn(reader) }
    guard externalCommits.mayHaveCommits(on: reader.connection), (try? reader.beginSnapshot()) != nil else { return }
    _ = try? pollExternalCommits(on: reader.connection)
  }

  /// Throws if another process has migrated the store, so that the rows no longer match this process's models. If the store's
  /// version is later, the meaning of values may have changed even if the tables match.
  private func requireSameModels(_ connection: Connection) throws {
    let stored = try StoreMetadata.tables(on: connection, at: url)
    try StoreError.checkSchema(stored, against: registeredLayouts, at: url, .wasMigrated)
    guard let newestVersion, let recorded = try StoreMetadata.version(on: connection), recorded > newestVersion else {
      return
    }
    let difference = "its models are of version \(recorded), and the container's of version \(newestVersion)"
    throw StoreError.migratedConcurrently(url, [difference])
  }

  // MARK: Listening

  /// Registers an object that is to be notified at once of other processes' commits.
  func addListener(_ listener: AnyObject) {
    guard let meeting = database.signal, externalCommits != nil else { return }
    listeners.withLock { listeners in
      let isFirst = listeners.isEmpty
      listeners.insert(ObjectIdentifier(listener))
      if isFirst { meeting.listen { [weakHandle] in weakHandle.object?.pollAfterSignal() } }
    }
  }

  func removeListener(_ listener: AnyObject) {
    listeners.withLock { listeners in
      guard listeners.remove(ObjectIdentifier(listener)) != nil, listeners.isEmpty else { return }
      database.signal?.endListening()
    }
  }
}
