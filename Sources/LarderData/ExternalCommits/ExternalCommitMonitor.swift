import LarderSQLite
import LarderSupport
import Synchronization

/// Detects commits of other processes to a store, and delivers them as commits of this process are.
///
/// The commit count in the shared memory of the write-ahead log shows whether there are new commits. If so, the history has
/// the changes: from the last known transaction, without those of this process. If the history does not account for all
/// commits, another program has written to the file, and any row may have changed.
final class ExternalCommitMonitor: Sendable {
  private struct State {
    /// The number of the last transaction that is delivered in this process.
    var lastKnown: Int64 = 0
    /// The later transactions of this process.
    var localTransactions: Set<Int64> = []
    /// The transaction that this process is committing.
    var committing: Int64?
    /// The commit count at which the store had accounted for the specified number of commits.
    var baseline: (count: UInt32, accounted: Int64)?
    /// SQLite's schema version that this process knows.
    var schemaVersion: Int64 = 0
    /// The version of the models in the store that this process knows.
    var modelVersion: String?
    /// Whether a commit of this process has failed after it had its number: another process may use that number now.
    var isInDoubt = false
  }

  /// The result of a poll.
  enum Changes {
    case nothing
    case known([ChangeSet])
    /// Commits whose changes are unknown.
    case unknown
  }

  private let state = Locked(State())
  /// The commit count up to which all commits are known; larger than any count if that is unknown.
  private let knownCommitCount = Atomic<UInt64>(.max)

  /// Records the current state of a store as known.
  func initialize(on connection: Connection) throws {
    let count = connection.commitCount
    let facts = try StoreRevision(on: connection)
    state.withLock { state in
      state.lastKnown = facts.lastTransaction
      state.schemaVersion = facts.schemaVersion
      state.modelVersion = facts.modelVersion
      if let count, count == connection.commitCount { state.baseline = (count, facts.accountedCommits) }
    }
    if let count { knownCommitCount.store(UInt64(count), ordering: .releasing) }
  }

  /// Whether there may be commits that this process does not know. Runs no statement.
  func mayHaveCommits(on connection: Connection) -> Bool {
    guard let count = connection.commitCount else { return true }
    return UInt64(count) != knownCommitCount.load(ordering: .acquiring)
  }

  /// Whether there certainly are unknown commits: without a commit count they are only possible.
  func hasCommits(on connection: Connection) -> Bool { connection.commitCount != nil && mayHaveCommits(on: connection) }

  /// Polls for commits of other processes.
  ///
  /// - Parameters:
  ///   - connection: A connection in a snapshot that this poll takes, or in a write transaction that has written nothing yet.
  ///   - check: A closure that is called if the tables, or the meaning of their values, may have changed.
  func poll(
    on connection: Connection, in store: SQLiteStore, check: (Connection) throws -> Void
  ) throws -> Changes {
    try state.withLock { state in
      let before = connection.commitCount
      let facts = try StoreRevision(on: connection)
      if facts.schemaVersion != state.schemaVersion || facts.modelVersion != state.modelVersion {
        try check(connection)
        state.schemaVersion = facts.schemaVersion
        state.modelVersion = facts.modelVersion
      }
      let news = try changes(facts, &state, on: connection, store)
      let isInDoubt = !isAccountedFor(facts, &state, before: before, after: connection.commitCount) || state.isInDoubt
      state.isInDoubt = false
      if let before { knownCommitCount.store(UInt64(before), ordering: .releasing) }
      return isInDoubt ? .unknown : news
    }
  }

  private func changes(
    _ facts: StoreRevision, _ state: inout State, on connection: Connection, _ store: SQLiteStore
  ) throws -> Changes {
    // Another thread may have polled in a later snapshot.
    guard facts.lastTransaction > state.lastKnown else { return .nothing }
    let seen = state.lastKnown
    let own = state.localTransactions.filter { $0 <= facts.lastTransaction }
    let news: Changes =
      if facts.lastDeletedTransaction > seen {
        own.contains(facts.lastDeletedTransaction) && Int64(own.count) == facts.lastTransaction - seen
          ? .nothing : .unknown
      } else if Int64(own.count) == facts.lastTransaction - seen {
        .nothing
      } else {
        try ExternalChangeReader(store, connection).changes(after: seen, to: facts.lastTransaction, excluding: own)
      }
    // After the read: a failed read is repeated by the next poll.
    state.lastKnown = facts.lastTransaction
    state.localTransactions.subtract(own)
    return news
  }

  /// Whether the history, and the count of unrecorded transactions, account for all commits.
  private func isAccountedFor(_ facts: StoreRevision, _ state: inout State, before: UInt32?, after: UInt32?) -> Bool {
    // Another process has committed while the snapshot was taken: the next poll looks again.
    guard let before, before == after else { return true }
    defer { state.baseline = (before, facts.accountedCommits) }
    guard let balance = state.baseline else { return true }
    return Int64(before &- balance.count) == facts.accountedCommits &- balance.accounted
  }

  // MARK: Local commits

  /// Called before a transaction of this process is committed.
  func willCommit(_ number: Int64) {
    state.withLock { state in
      state.localTransactions.insert(number)
      state.committing = number
    }
  }

  /// Called after its commit.
  func didCommit() {
    state.withLock { state in
      guard let number = state.committing else { return }
      state.committing = nil
      if number == state.lastKnown &+ 1 {
        state.localTransactions.remove(number)
        state.lastKnown = number
      }
    }
  }

  /// Called after the transaction was rolled back.
  ///
  /// - Parameter isLocked: Whether the write lock has been held since the number was assigned, so that no other process wrote.
  func didRollBack(isLocked: Bool) {
    state.withLock { state in
      guard let number = state.committing else { return }
      state.committing = nil
      state.localTransactions.remove(number)
      if isLocked { return }
      state.isInDoubt = true
      knownCommitCount.store(.max, ordering: .releasing)
    }
  }

  /// Advances the known count by one own commit, which followed the specified count.
  func advance(after count: UInt32) {
    // Unless another thread has polled meanwhile, and stored a newer count.
    _ = knownCommitCount.compareExchange(
      expected: UInt64(count), desired: UInt64(count &+ 1), ordering: .acquiringAndReleasing)
  }
}
