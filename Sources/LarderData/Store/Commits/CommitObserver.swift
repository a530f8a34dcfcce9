package import LarderSQLite

/// An object that learns of each commit to a store, by this process or another one.
///
/// Observers are called by the thread that has committed, in the order of their ``stage``; they return at once and do
/// their work elsewhere.
package protocol CommitObserver: AnyObject, Sendable {
  /// When the observer is called, beside the other observers of its store.
  var stage: CommitStage { get }
  /// Returns the columns of a model whose former and new values are to be part of each change set. Observers of the stage
  /// ``CommitStage/queries`` are asked, before each save.
  func observedColumns(of layout: _ModelLayout) -> Set<Int>
  /// Takes the changes of a commit.
  func didCommit(_ changes: ChangeSet)
  /// Takes note of commits whose changes are not known: any row may be another one.
  func didCommitUnknownChanges()
}

extension CommitObserver {
  package func observedColumns(of layout: _ModelLayout) -> Set<Int> { [] }
}

/// A commit observer that takes part in the transaction, too.
package protocol TransactionObserver: CommitObserver {
  /// Called inside a transaction of this process, after its rows and its history are written.
  ///
  /// - Throws: Any error: the transaction is rolled back, and the save throws it.
  func willCommit(_ changes: ChangeSet, on connection: Connection) throws
}

/// When a commit observer is called.
package enum CommitStage: Int, CaseIterable, Sendable {
  /// First: an object that runs queries in a context finds there what was committed.
  case contexts
  /// After the contexts, while the commit still counts as under way.
  case queries
  /// Last, once the commit has ended. Saves of this process come with one class for each model.
  case followers
}
