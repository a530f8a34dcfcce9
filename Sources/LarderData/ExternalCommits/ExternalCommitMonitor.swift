import LarderSQLite
import LarderSupport
import Synchronization

/// What other processes commit to a store, found and told here as if somebody of this process had saved it.
///
/// Whether anybody has committed is one look at the count of commits in the shared memory of the store's log. If so, the
/// history says what: from the last transaction that is known here, without those that were made here. Commits that the
/// history does not account for were made by another program, and then anything may have changed.
final class ExternalCommitMonitor: Sendable {
  private struct State {
    /// The number of the last transaction that everybody here knows of.
    var lastKnown: Int64 = 0
    /// Those after it that were made here.
    var localTransactions: Set<Int64> = []
    /// The one that is being committed here.
    var committing: Int64?
    /// Where the count of commits stood when the store had this many accounted for.
    var baseline: (count: UInt32, accounted: Int64)?
    /// SQLite's own number of the schema that this process knows.
    var schemaVersion: Int64 = 0
    /// The version of the models that this process knows the store to have.
    var modelVersion: String?
    /// Whether a commit here has failed after it had its number: somebody else may have taken that since.
    var isInDoubt = false
  }

  /// What is found.
  enum Changes {
    case nothing
    case known([ChangeSet])
    /// Nobody knows what.
    case unknown
  }

  private let state = Locked(State())
  /// The count of commits up to which everything is known; above what a count can be where that is not known.
  private let knownCommitCount = Atomic<UInt64>(.max)

  /// Begins with a store as it is.
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

  /// Whether anything was committed of which nobody here knows. It costs no statement.
  func mayHaveCommits(on connection: Connection) -> Bool {
    guard let count = connection.commitCount else { return true }
    return UInt64(count) != knownCommitCount.load(ordering: .acquiring)
  }

  /// Whether that is known to be so: without a count of commits it is only possible.
  func hasCommits(on connection: Connection) -> Bool { connection.commitCount != nil && mayHaveCommits(on: connection) }

  /// Looks for what others have committed.
  ///
  /// - Parameters:
  ///   - connection: In a snapshot that is taken by this look, or in a write transaction that has written nothing yet.
  ///   - check: Called where the tables, or what their values mean, may not be any more what they were.
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
    // Another thread may have looked at a later snapshot.
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
    // Not before it was read: what fails is looked for again.
    state.lastKnown = facts.lastTransaction
    state.localTransactions.subtract(own)
    return news
  }

  /// Whether the history, and the count of what is no part of it, account for all that was committed.
  private func isAccountedFor(_ facts: StoreRevision, _ state: inout State, before: UInt32?, after: UInt32?) -> Bool {
    // Somebody has committed while the snapshot was taken: it is looked at again.
    guard let before, before == after else { return true }
    defer { state.baseline = (before, facts.accountedCommits) }
    guard let balance = state.baseline else { return true }
    return Int64(before &- balance.count) == facts.accountedCommits &- balance.accounted
  }

  // MARK: What is committed here

  /// A transaction is about to be committed here.
  func willCommit(_ number: Int64) {
    state.withLock { state in
      state.localTransactions.insert(number)
      state.committing = number
    }
  }

  /// It was.
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

  /// It will not be.
  ///
  /// - Parameter isLocked: Whether nobody else can have written since the number was given.
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

  /// One commit was made here after others' up to a count were looked at.
  func advance(after count: UInt32) {
    // Unless somebody has looked meanwhile, who knows better.
    _ = knownCommitCount.compareExchange(
      expected: UInt64(count), desired: UInt64(count &+ 1), ordering: .acquiringAndReleasing)
  }
}
