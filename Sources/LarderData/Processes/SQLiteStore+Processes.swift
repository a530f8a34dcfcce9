import Foundation
import LarderSQLite
import LarderSupport
import Synchronization

// What other processes commit reaches those who fetch, save or watch here.

extension SQLiteStore {
  /// Looks for what others have committed, and tells everybody here of it.
  ///
  /// - Parameters:
  ///   - connection: As ``OthersCommits/look(on:in:check:)`` takes it.
  ///   - always: Whether to look where nothing seems to have been committed, too.
  /// - Returns: Whether there was something.
  /// - Throws: ``StoreError`` with the code `schemaMismatch` where another process has migrated the store; what SQLite says.
  @discardableResult
  func lookForOthers(on connection: Connection, always: Bool = false) throws -> Bool {
    guard let others, always || others.isPending(on: connection) else { return false }
    // Once it is looked at nobody else looks: until it is published, who asks for what is live asks the store.
    observers.commitBegins()
    defer { observers.commitEnded() }
    let news: OthersCommits.News
    do {
      news = try others.look(on: connection, in: self, check: requireSameModels)
    } catch let error as StoreError where error.code == .schemaMismatch {
      // Whoever shows something asks, and is told what is wrong.
      if !isOutgrown.exchange(true, ordering: .acquiringAndReleasing) { tellOfEverything() }
      throw error
    }
    switch news {
    case .nothing: return false
    case .changes(let changes):
      // Before anybody is told: who then reads must not do so in a snapshot from before.
      commits.add(1, ordering: .releasing)
      for change in changes { publishOthers(change) }
    case .everything: tellOfEverything()
    }
    return true
  }

  private func tellOfEverything() {
    commits.add(1, ordering: .releasing)
    observers.didCommitAnything()
  }

  /// Runs the body in a transaction of the writer that knows what others have committed before, and tells them.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let others else { return try database.write(body) }
    var before: (count: UInt32?, own: Int64) = (nil, 0)
    let result = try database.write { connection in
      try lookForOthers(on: connection)
      before = (connection.commitCount, connection.logCommits)
      do { return try body(connection) } catch {
        others.withdraw(isLocked: true)
        throw error
      }
    } committed: { connection in
      others.came()
      if let count = before.count, connection.logCommits == before.own + 1 { others.committed(after: count) }
    } failed: {
      others.withdraw(isLocked: false)
    }
    database.meeting?.tell()
    return result
  }

  /// Looks when somebody has told, or the time has come.
  func lookWhenTold() {
    // That has been told, and does not pass.
    if isOutgrown.load(ordering: .acquiring) { return }
    do {
      let reader = try database.checkout()
      defer { database.checkin(reader) }
      guard let others, others.isPending(on: reader.connection) else { return }
      try reader.beginSnapshot()
      try lookForOthers(on: reader.connection)
      isUnreadable.store(false, ordering: .relaxed)
    } catch {
      // Who fetches or saves next looks for himself, and is told what is wrong. Here it is said once.
      if isUnreadable.exchange(true, ordering: .relaxed) { return }
      Log.warning("What other processes saved to \(url.path) could not be read. \(error)")
    }
  }

  /// A container of this program has opened the file anew, and brought it to other models: whoever shows something of this
  /// one asks, and is told.
  func lookAfterMigration() {
    guard let others, let reader = try? database.checkout() else { return }
    defer { database.checkin(reader) }
    guard others.isPending(on: reader.connection), (try? reader.beginSnapshot()) != nil else { return }
    _ = try? lookForOthers(on: reader.connection)
  }

  /// Another process may have migrated the store, and rows are then not any more what this one takes them for; nor need
  /// values be, whatever the tables look like, where the models have a later number.
  private func requireSameModels(_ connection: Connection) throws {
    let stored = try Bookkeeping.tables(on: connection, at: url)
    try StoreError.check(stored, against: knownLayouts, at: url, .wasMigrated)
    guard let newestVersion, let recorded = try Bookkeeping.version(on: connection), recorded > newestVersion else {
      return
    }
    let difference = "its models are of version \(recorded), and the container's of version \(newestVersion)"
    throw StoreError.migratedMeanwhile(url, [difference])
  }

  // MARK: Listening

  /// Somebody is to be told at once of what other processes commit.
  func addListener(_ listener: AnyObject) {
    guard let meeting = database.meeting, others != nil else { return }
    listeners.withLock { listeners in
      let isFirst = listeners.isEmpty
      listeners.insert(ObjectIdentifier(listener))
      if isFirst { meeting.listen { [tether] in tether.object?.lookWhenTold() } }
    }
  }

  func removeListener(_ listener: AnyObject) {
    listeners.withLock { listeners in
      guard listeners.remove(ObjectIdentifier(listener)) != nil, listeners.isEmpty else { return }
      database.meeting?.endListening()
    }
  }
}
