import LarderSQLite
import LarderSupport
import Synchronization

/// What other processes commit to a store, found and told here as if somebody of this process had saved it.
///
/// Whether anybody has committed is one look at the count of commits in the shared memory of the store's log. If so, the
/// history says what: from the last transaction that is known here, without those that were made here. Commits that the
/// history does not account for were made by another program, and then anything may have changed.
final class OthersCommits: Sendable {
  private struct State {
    /// The number of the last transaction that everybody here knows of.
    var seen: Int64 = 0
    /// Those after it that were made here.
    var own: Set<Int64> = []
    /// The one that is being committed here.
    var coming: Int64?
    /// Where the count of commits stood when the store had this many accounted for.
    var balance: (count: UInt32, accounted: Int64)?
    /// SQLite's own number of the schema that this process knows.
    var schema: Int64 = 0
    /// The version of the models that this process knows the store to have.
    var version: String?
    /// Whether a commit here has failed after it had its number: somebody else may have taken that since.
    var isInDoubt = false
  }

  /// What is found.
  enum News {
    case nothing
    case changes([ChangeSet])
    /// Nobody knows what.
    case everything
  }

  private let state = Locked(State())
  /// The count of commits up to which everything is known; above what a count can be where that is not known.
  private let known = Atomic<UInt64>(.max)

  /// Begins with a store as it is.
  func begin(on connection: Connection) throws {
    let count = connection.commitCount
    let facts = try StoreFacts(on: connection)
    state.withLock { state in
      state.seen = facts.last
      state.schema = facts.schema
      state.version = facts.version
      if let count, count == connection.commitCount { state.balance = (count, facts.accounted) }
    }
    if let count { known.store(UInt64(count), ordering: .releasing) }
  }

  /// Whether anything was committed of which nobody here knows. It costs no statement.
  func isPending(on connection: Connection) -> Bool {
    guard let count = connection.commitCount else { return true }
    return UInt64(count) != known.load(ordering: .acquiring)
  }

  /// Whether that is known to be so: without a count of commits it is only possible.
  func isBehind(on connection: Connection) -> Bool { connection.commitCount != nil && isPending(on: connection) }

  /// Looks for what others have committed.
  ///
  /// - Parameters:
  ///   - connection: In a snapshot that is taken by this look, or in a write transaction that has written nothing yet.
  ///   - check: Called where the tables, or what their values mean, may not be any more what they were.
  func look(
    on connection: Connection, in store: SQLiteStore, check: (Connection) throws -> Void
  ) throws -> News {
    try state.withLock { state in
      let before = connection.commitCount
      let facts = try StoreFacts(on: connection)
      if facts.schema != state.schema || facts.version != state.version {
        try check(connection)
        state.schema = facts.schema
        state.version = facts.version
      }
      let news = try news(facts, &state, on: connection, store)
      let isInDoubt = !isBalanced(facts, &state, before: before, after: connection.commitCount) || state.isInDoubt
      state.isInDoubt = false
      if let before { known.store(UInt64(before), ordering: .releasing) }
      return isInDoubt ? .everything : news
    }
  }

  private func news(
    _ facts: StoreFacts, _ state: inout State, on connection: Connection, _ store: SQLiteStore
  ) throws -> News {
    // Another thread may have looked at a later snapshot.
    guard facts.last > state.seen else { return .nothing }
    let seen = state.seen
    let own = state.own.filter { $0 <= facts.last }
    let news: News =
      if facts.deleted > seen {
        own.contains(facts.deleted) && Int64(own.count) == facts.last - seen ? .nothing : .everything
      } else if Int64(own.count) == facts.last - seen {
        .nothing
      } else {
        try OthersHistory(store, connection).news(after: seen, to: facts.last, besides: own)
      }
    // Not before it was read: what fails is looked for again.
    state.seen = facts.last
    state.own.subtract(own)
    return news
  }

  /// Whether the history, and the count of what is no part of it, account for all that was committed.
  private func isBalanced(_ facts: StoreFacts, _ state: inout State, before: UInt32?, after: UInt32?) -> Bool {
    // Somebody has committed while the snapshot was taken: it is looked at again.
    guard let before, before == after else { return true }
    defer { state.balance = (before, facts.accounted) }
    guard let balance = state.balance else { return true }
    return Int64(before &- balance.count) == facts.accounted &- balance.accounted
  }

  // MARK: What is committed here

  /// A transaction is about to be committed here.
  func comes(_ number: Int64) {
    state.withLock { state in
      state.own.insert(number)
      state.coming = number
    }
  }

  /// It was.
  func came() {
    state.withLock { state in
      guard let number = state.coming else { return }
      state.coming = nil
      if number == state.seen &+ 1 {
        state.own.remove(number)
        state.seen = number
      }
    }
  }

  /// It will not be.
  ///
  /// - Parameter isLocked: Whether nobody else can have written since the number was given.
  func withdraw(isLocked: Bool) {
    state.withLock { state in
      guard let number = state.coming else { return }
      state.coming = nil
      state.own.remove(number)
      if isLocked { return }
      state.isInDoubt = true
      known.store(.max, ordering: .releasing)
    }
  }

  /// One commit was made here after others' up to a count were looked at.
  func committed(after count: UInt32) {
    // Unless somebody has looked meanwhile, who knows better.
    _ = known.compareExchange(expected: UInt64(count), desired: UInt64(count &+ 1), ordering: .acquiringAndReleasing)
  }
}
