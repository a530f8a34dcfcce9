import LarderSQLite
import LarderSupport

/// A query that is run again whenever a commit touches what it reads, away from the one who wants to know; he is told
/// when the answer is another one.
///
/// However many commits come while it runs, it runs once more; and while he who asked has not taken an answer, he is not
/// told again.
// @unchecked: what changes is behind a lock; a request holds predicates and key paths, which are immutable.
final class LiveQuery: @unchecked Sendable {
  enum Outcome {
    case success(QueryResultSnapshot)
    case failure(any Error)
  }

  /// What makes an answer another one.
  enum ChangeCriterion {
    /// Other rows, or another order.
    case members
    /// Other versions of the rows, too.
    case versions
    /// Whatever touches what is read: what is shown says more than the answer does.
    case everything
  }

  private struct State {
    /// How many commits have touched what the query reads.
    var generation = 0
    var isRunning = false
    var isCancelled = false
    /// Whether somebody has been told and has not looked since.
    var isNotified = false
    /// What is shown of it; nil where that is not what is stored.
    var current: QueryResultSnapshot?
    /// The newest answer, and the generation that it is of.
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

  /// - Parameter tell: Called by any thread when there is something to look at.
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

  // @unchecked: set before anybody else knows of it, and only read afterwards.
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

  /// What is shown could not be brought up to date, and nobody may commit any more: it is tried again after a while.
  func scheduleRetry() {
    guard let seconds = state.withLock({ $0.backoff.recordFailure() }) else { return }
    runner.run(after: seconds) { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.backoff.beginRetry() }
      invalidate()
    }
  }

  /// It could.
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

  // MARK: In the isolation of him who asked

  /// Whether a commit has touched what the query reads since an answer of that generation, or may have.
  func isInvalidated(since generation: Int) -> Bool {
    isCommitInProgress || state.withLock { $0.generation != generation }
  }

  /// Whether somebody is committing what nobody has been told of yet, and others may see already.
  var isCommitInProgress: Bool { store.observers.isCommitInFlight }

  /// The generation that an answer which is begun now is of.
  var generation: Int { state.withLock { $0.generation } }

  /// He looks: what has been found, if nothing has touched it since.
  func poll() -> (outcome: Outcome?, generation: Int) {
    state.withLock { state in
      state.isNotified = false
      guard let found = state.latest, found.generation == state.generation else { return (nil, state.generation) }
      return (found.outcome, found.generation)
    }
  }

  /// Notes what is shown. What has been found since he looked was compared with what he showed before, and he is told if it
  /// is another.
  ///
  /// - Parameters:
  ///   - answer: nil where that is with what is pending, or could not be had.
  ///   - generation: That of his look.
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

  func cancel() {
    store.remove(observation)
    state.withLock { $0.isCancelled = true }
  }
}
