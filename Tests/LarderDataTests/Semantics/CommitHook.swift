import LarderData
import LarderSQLite

/// A commit observer made of closures.
final class CommitHook: TransactionObserver {
  typealias Hook = @Sendable (ChangeSet, Connection) throws -> Void
  typealias Observer = @Sendable (ChangeSet) -> Void

  private let hook: Hook?
  private let observer: Observer?

  init(hook: Hook? = nil, observer: Observer? = nil) {
    self.hook = hook
    self.observer = observer
  }

  var stage: CommitStage { .followers }
  func willCommit(_ changes: ChangeSet, on connection: Connection) throws { try hook?(changes, connection) }
  func didCommit(_ changes: ChangeSet) { if !changes.isEmpty { observer?(changes) } }
  func didCommitUnknownChanges() {}
}

extension CommitObservers {
  /// Adds a closure that runs inside each transaction.
  func add(hook: @escaping CommitHook.Hook) -> CommitHook {
    let made = CommitHook(hook: hook)
    add(made)
    return made
  }

  /// Adds a closure that runs after each commit.
  func add(observer: @escaping CommitHook.Observer) -> CommitHook {
    let made = CommitHook(observer: observer)
    add(made)
    return made
  }
}
