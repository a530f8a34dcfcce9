package import LarderSQLite

// The one way in which a transaction that has changed rows ends: inside it, and after its commit.

extension SQLiteStore {
  /// Ends what a transaction writes, as its last part: the history, and the observers that may refuse it.
  ///
  /// - Parameters:
  ///   - changes: What the transaction has written; given the number that the history has for it.
  ///   - recordsHistory: Whether the transaction is one of the history; the rows that a data store has answered with are
  ///     none of this process's.
  ///   - asksObservers: Whether the observers are asked; false where they were, before a data store has kept the rows.
  /// - Throws: ``StoreError``, and what an observer throws.
  package func finishTransaction(
    _ changes: inout ChangeSet, on connection: Connection, recordsHistory: Bool = true,
    notifiesObservers asksObservers: Bool = true
  ) throws {
    if changes.isEmpty { return }
    if recordsHistory { changes.transaction = try recordHistory(of: changes, on: connection) }
    if asksObservers { try observers.willCommit(changes, on: connection) }
  }

  /// Tells the observers what was committed, and ends the commit that was under way.
  ///
  /// - Parameter sender: The inbox of the context that has saved, which knows of it.
  func publish(_ changes: ChangeSet, from sender: RemoteChangeQueue?) {
    let known = expandedToAllClasses(changes)
    observers.didCommit(known, .contexts, from: sender)
    observers.didCommit(known, .queries)
    observers.endCommit()
    observers.didCommit(changes, .followers)
  }

  /// Tells the observers what another process has committed.
  func publishExternal(_ changes: ChangeSet) {
    for stage in CommitStage.allCases { observers.didCommit(changes, stage) }
  }
}
