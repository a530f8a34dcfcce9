import Foundation
import LarderSQLite
import LarderSupport
import Synchronization

// What other processes commit reaches those who fetch, save or watch here.

extension SQLiteStore {
  /// Looks for what others have committed, and tells everybody here of it.
  ///
  /// - Parameters:
  ///   - connection: As ``ExternalCommitMonitor/poll(on:in:check:)`` takes it.
  ///   - always: Whether to look where nothing seems to have been committed, too.
  /// - Returns: Whether there was something.
  /// - Throws: ``StoreError`` with the code `schemaMismatch` where another process has migrated the store; what SQLite says.
  @discardableResult
  func pollExternalCommits(on connection: Connection, always: Bool = false) throws -> Bool {
    guard let externalCommits, always || externalCommits.mayHaveCommits(on: connection) else { return false }
    // Once it is looked at nobody else looks: until it is published, who asks for what is live asks the store.
    observers.beginCommit()
    defer { observers.endCommit() }
    let news: ExternalCommitMonitor.Changes
    do {
      news = try externalCommits.poll(on: connection, in: self, check: requireSameModels)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // Whoever shows something asks, and is told what is wrong.
      if !wasMigratedExternally.exchange(true, ordering: .acquiringAndReleasing) { publishUnknownChanges() }
      throw error
    }
    switch news {
    case .nothing: return false
    case .known(let changes):
      // Before anybody is told: who then reads must not do so in a snapshot from before.
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

  /// Runs the body in a transaction of the writer that knows what others have committed before, and tells them.
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

  /// Looks when somebody has told, or the time has come.
  func pollAfterSignal() {
    // That has been told, and does not pass.
    if wasMigratedExternally.load(ordering: .acquiring) { return }
    do {
      let reader = try database.checkOut()
      defer { database.checkIn(reader) }
      guard let externalCommits, externalCommits.mayHaveCommits(on: reader.connection) else { return }
      try reader.beginSnapshot()
      try pollExternalCommits(on: reader.connection)
      hasPollFailed.store(false, ordering: .relaxed)
    } catch {
      // Who fetches or saves next looks for himself, and is told what is wrong. Here it is said once.
      if hasPollFailed.exchange(true, ordering: .relaxed) { return }
      Log.warning("What other processes saved to \(url.path) could not be read. \(error)")
    }
  }

  /// A container of this program has opened the file anew, and brought it to other models: whoever shows something of this
  /// one asks, and is told.
  func pollAfterMigration() {
    guard let externalCommits, let reader = try? database.checkOut() else { return }
    defer { database.checkIn(reader) }
    guard externalCommits.mayHaveCommits(on: reader.connection), (try? reader.beginSnapshot()) != nil else { return }
    _ = try? pollExternalCommits(on: reader.connection)
  }

  /// Another process may have migrated the store, and rows are then not any more what this one takes them for; nor need
  /// values be, whatever the tables look like, where the models have a later number.
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

  /// Somebody is to be told at once of what other processes commit.
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
