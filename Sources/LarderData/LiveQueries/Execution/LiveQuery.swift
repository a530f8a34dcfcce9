import LarderSQLite
import LarderSupport

/// A query that runs again, outside of the context that created it, whenever a commit touches the rows it reads. The query
/// notifies its list when the result has changed.
///
/// Any number of commits during a run cause one more run. The list is notified once until it takes the result.
// @unchecked: mutable state is behind a lock; a request holds predicates and key paths, which are immutable.
final class LiveQuery: @unchecked Sendable {
  enum Outcome {
    case success(QueryResultSnapshot)
    case failure(any Error)
  }

  /// The kind of change that causes a notification.
  enum ChangeCriterion {
    /// A change of the rows or of their order.
    case members
    /// A change of the rows, of their order or of their versions.
    case versions
    /// Any commit that touches the rows that are read: the list shows more than the result contains.
    case everything
  }

  private struct State {
    /// The number of commits that have touched the rows that the query reads.
    var generation = 0
    var isRunning = false
    var isCancelled = false
    /// Whether a notification was sent, and the list has not polled since.
    var isNotified = false
    /// The result that the list shows, or `nil` if the list shows pending changes or its fetch has failed.
    var current: QueryResultSnapshot?
    /// The newest result, and its generation.
    var latest: (outcome: Outcome, generation: Int)?
    var backoff = Backoff()
  }

  let request: FetchRequest
  private let changeCriterion: ChangeCriterion
  private let runner: LiveQueryExecutor
  private let store: SQLiteStore
  private let state = Locked(State())
  private let notify: @Sendable () -> Void
  private let observation: QueryObservation

  /// - Parameter tell: A closure that any thread calls when a new result is available.
  init(
    _ request: FetchRequest, _ dependencies: QueryDependencies, in core: _ContextCore,
    changeCriterion interest: ChangeCriterion,
    notify tell: @escaping @Sendable () -> Void
  ) {
    self.request = request
    self.changeCriterion = interest
    self.notify = tell
    runner = LiveQueryExecutor.shared(for: core.container)
    store = core.session(for: request.layout).store
    let touched = WeakQuery()
    observation = QueryObservation(dependencies) { touched.query?.invalidate() }
    touched.query = self
    store.add(observation)
  }

  deinit { store.remove(observation) }

  // @unchecked: set before another thread can read it, and only read afterwards.
  private final class WeakQuery: @unchecked Sendable {
    weak var query: LiveQuery?
  }

  // MARK: Commits

  private func invalidate() {
    let begins = state.withLock { state in
      state.generation += 1
      defer { state.isRunning = true }
      return !state.isRunning && !state.isCancelled
    }
    if begins { run() }
  }

  /// Runs the query again after a back-off, since the list could not be updated and no further commit may come.
  func scheduleRetry() {
    guard let seconds = state.withLock({ $0.backoff.recordFailure() }) else { return }
    runner.run(after: seconds) { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.backoff.beginRetry() }
      invalidate()
    }
  }

  /// Resets the back-off after the list was updated.
  func recordSuccess() { state.withLock { $0.backoff.recordSuccess() } }

  private func run() {
    runner.run { [weak self] core in self?.run(core) }
  }

  private func run(_ core: _ContextCore) {
    guard let generation = state.withLock({ $0.isCancelled ? nil : $0.generation }) else { return }
    store.queryObservations.recordRun()
    let outcome: Outcome
    do {
      outcome = .success(try PreparedFetch(request, in: core).resultSnapshot())
    } catch {
      outcome = .failure(error)
    }
    let (tells, again) = state.withLock { state in
      state.latest = (outcome, generation)
      let again = state.generation != generation
      state.isRunning = again
      let tells = !state.isNotified && isChange(outcome, state)
      if tells { state.isNotified = true }
      return (tells, again)
    }
    if tells { notify() }
    if again { run() }
  }

  private func isChange(_ outcome: Outcome, _ state: State) -> Bool {
    guard case .success(let answer) = outcome, let shown = state.current else { return true }
    return switch changeCriterion {
    case .members: !answer.hasSameRows(as: shown)
    case .versions: answer != shown
    case .everything: true
    }
  }

  // MARK: In the isolation of the list

  /// Returns whether a commit has touched the rows that the query reads since a result of the specified generation, or may have.
  func isInvalidated(since generation: Int) -> Bool {
    isCommitInProgress || state.withLock { $0.generation != generation }
  }

  /// Whether a commit is in progress that no observer has been notified of yet, and that other connections may see already.
  var isCommitInProgress: Bool { store.observers.isCommitInFlight }

  /// The generation of a result whose fetch begins now.
  var generation: Int { state.withLock { $0.generation } }

  /// Returns the newest result, or a `nil` outcome if a commit has touched the query since. The next change notifies the list.
  func poll() -> (outcome: Outcome?, generation: Int) {
    state.withLock { state in
      state.isNotified = false
      guard let found = state.latest, found.generation == state.generation else { return (nil, state.generation) }
      return (found.outcome, found.generation)
    }
  }

  /// Records the result that the list shows. A result that was found after the list polled was compared with the result shown
  /// before; if it differs from this one, the list is notified.
  ///
  /// - Parameters:
  ///   - answer: The shown result, or `nil` if it includes pending changes or could not be fetched.
  ///   - generation: The generation of the list's poll.
  func setCurrent(_ answer: QueryResultSnapshot?, generation: Int) {
    let tells = state.withLock { state in
      state.current = answer
      guard let found = state.latest, found.generation > generation, !state.isNotified, isChange(found.outcome, state)
      else {
        return false
      }
      state.isNotified = true
      return true
    }
    if tells { notify() }
  }

  /// Stops the query: commits cause no further run.
  func cancel() {
    store.remove(observation)
    state.withLock { $0.isCancelled = true }
  }
}
