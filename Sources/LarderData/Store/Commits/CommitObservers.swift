import LarderSQLite
import LarderSupport
import Synchronization

/// The observers of a store, and the number of commits of which they are not notified yet.
package final class CommitObservers: Sendable {
  fileprivate struct Registrations {
    // In the order in which they were added, which is the order of the calls.
    var byStage = CommitStage.allCases.map { _ in [any CommitObserver]() }
    var transactionObservers: [any TransactionObserver] = []
  }

  private let registrations = Locked(Registrations())
  /// The number of transactions that are about to commit, or have committed, and are not published yet.
  private let inFlightCount = Atomic<Int>(0)

  package init() {}

  package func add(_ observer: some CommitObserver) { registrations.withLock { $0.add(observer) } }

  package func remove(_ observer: some CommitObserver) { registrations.withLock { $0.remove(observer) } }

  /// Returns the store's observer of the specified class; creates and adds it first if the store has none.
  func observer<Observer: CommitObserver>(_ make: () -> Observer) -> Observer {
    registrations.withLock { lists in
      for stage in lists.byStage { for case let found as Observer in stage { return found } }
      let made = make()
      lists.add(made)
      return made
    }
  }

  /// Returns the columns of an entity whose values an observer requires.
  func observedColumns(of layout: _ModelLayout) -> Set<Int> {
    observers(.queries).reduce(into: []) { $0.formUnion($1.observedColumns(of: layout)) }
  }

  // MARK: Commits

  /// Whether a commit may exist of which the observers are not notified yet.
  package var isCommitInFlight: Bool { inFlightCount.load(ordering: .acquiring) > 0 }

  package func beginCommit() { inFlightCount.add(1, ordering: .acquiringAndReleasing) }
  package func endCommit() { inFlightCount.subtract(1, ordering: .acquiringAndReleasing) }

  func willCommit(_ changes: ChangeSet, on connection: Connection) throws {
    for observer in registrations.withLock({ $0.transactionObservers }) {
      try observer.willCommit(changes, on: connection)
    }
  }

  func didCommit(_ changes: ChangeSet, _ stage: CommitStage, from sender: (any CommitObserver)? = nil) {
    for observer in observers(stage) where observer !== sender { observer.didCommit(changes) }
  }

  /// Notifies the observers that any row may have changed.
  func didCommitUnknownChanges() {
    for stage in CommitStage.allCases { for observer in observers(stage) { observer.didCommitUnknownChanges() } }
  }

  private func observers(_ stage: CommitStage) -> [any CommitObserver] {
    registrations.withLock { $0.byStage[stage.rawValue] }
  }
}

extension CommitObservers.Registrations {
  fileprivate mutating func add(_ observer: some CommitObserver) {
    byStage[observer.stage.rawValue].append(observer)
    if let observer = observer as? any TransactionObserver { transactionObservers.append(observer) }
  }

  fileprivate mutating func remove(_ observer: some CommitObserver) {
    let stage = observer.stage.rawValue
    // Backwards: of many contexts the newest are removed first.
    if let place = byStage[stage].lastIndex(where: { $0 === observer }) { byStage[stage].remove(at: place) }
    transactionObservers.removeAll { $0 === observer }
  }
}
