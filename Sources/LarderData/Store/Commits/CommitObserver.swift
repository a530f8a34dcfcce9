package import LarderSQLite

/// An object that is notified of each commit to a store, by this process or another one.
///
/// The thread that has committed calls the observers, in the order of their ``stage``. They return at once and do their work
/// elsewhere.
package protocol CommitObserver: AnyObject, Sendable {
  /// The stage at which the observer is called, relative to the other observers of its store.
  var stage: CommitStage { get }
  /// Returns the columns of an entity whose old and new values each change set must contain. Called before each save, for
  /// observers of the stage ``CommitStage/queries``.
  func observedColumns(of layout: _ModelLayout) -> Set<Int>
  /// Receives the changes of a commit.
  func didCommit(_ changes: ChangeSet)
  /// Called after commits whose changes are unknown: any row may have changed.
  func didCommitUnknownChanges()
}

extension CommitObserver {
  package func observedColumns(of layout: _ModelLayout) -> Set<Int> { [] }
}

/// A commit observer that also takes part in the transaction.
package protocol TransactionObserver: CommitObserver {
  /// Called inside a transaction of this process, after its rows and its history are written.
  ///
  /// - Throws: Any error: the transaction is rolled back, and the save throws the error.
  func willCommit(_ changes: ChangeSet, on connection: Connection) throws
}

/// The stage at which a commit observer is called.
package enum CommitStage: Int, CaseIterable, Sendable {
  /// First: the contexts, so that a later observer that fetches in a context sees the commit.
  case contexts
  /// After the contexts, while the commit still counts as in flight.
  case queries
  /// Last, after the commit has ended. Change sets of this process list each row under one class only.
  case followers
}
