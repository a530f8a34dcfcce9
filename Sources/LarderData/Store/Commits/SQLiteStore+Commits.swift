package import LarderSQLite

// The end of a transaction that has changed rows: inside it, and after its commit.

extension SQLiteStore {
  /// Finishes a transaction, as its last step: records it in the history, and asks the observers that may refuse it.
  ///
  /// - Parameters:
  ///   - changes: The changes of the transaction; receives the transaction number of the history.
  ///   - recordsHistory: Whether the history records the transaction; rows that a data store returns are no transaction of
  ///     this process.
  ///   - asksObservers: Whether the observers are asked; false if they were asked before a data store kept the rows.
  /// - Throws: ``StoreError``, and any error of an observer.
  package func finishTransaction(
    _ changes: inout ChangeSet, on connection: Connection, recordsHistory: Bool = true,
    notifiesObservers asksObservers: Bool = true
  ) throws {
    if changes.isEmpty { return }
    if recordsHistory { changes.transaction = try recordHistory(of: changes, on: connection) }
    if asksObservers { try observers.willCommit(changes, on: connection) }
  }

  /// Notifies the observers of a commit, and ends the commit that was in flight.
  ///
  /// - Parameter sender: The queue of the context that has saved, which is not notified of its own commit.
  func publish(_ changes: ChangeSet, from sender: (any CommitObserver)?) {
    let known = expandedToAllClasses(changes)
    observers.didCommit(known, .contexts, from: sender)
    observers.didCommit(known, .queries)
    observers.endCommit()
    observers.didCommit(changes, .followers)
  }

  /// Notifies the observers of another process's commit.
  func publishExternal(_ changes: ChangeSet) {
    for stage in CommitStage.allCases { observers.didCommit(changes, stage) }
  }
}
