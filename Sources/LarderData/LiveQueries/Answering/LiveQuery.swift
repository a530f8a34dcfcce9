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
    case answer(LiveAnswer)
    case failure(any Error)
  }

  /// What makes an answer another one.
  enum Interest {
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
    var isOver = false
    /// Whether somebody has been told and has not looked since.
    var isTold = false
    /// What is shown of it; nil where that is not what is stored.
    var shown: LiveAnswer?
    /// The newest answer, and the generation that it is of.
    var found: (outcome: Outcome, generation: Int)?
    var backoff = Backoff()
  }

  let request: FetchRequest
  private let interest: Interest
  private let runner: LiveRunner
  private let store: SQLiteStore
  private let state = Locked(State())
  private let tell: @Sendable () -> Void
  private let watch: LiveWatch

  /// - Parameter tell: Called by any thread when there is something to look at.
  init(
    _ request: FetchRequest, _ dependencies: QueryDependencies, in core: ContextCore, interest: Interest,
    tell: @escaping @Sendable () -> Void
  ) {
    self.request = request
    self.interest = interest
    self.tell = tell
    runner = LiveRunner.of(core.container)
    store = core.session(for: request.layout).store
    let touched = Touched()
    watch = LiveWatch(dependencies) { touched.query?.touch() }
    touched.query = self
    store.add(watch)
  }

  deinit { store.remove(watch) }

  // @unchecked: set before anybody else knows of it, and only read afterwards.
  private final class Touched: @unchecked Sendable {
    weak var query: LiveQuery?
  }

  // MARK: Commits

  private func touch() {
    let begins = state.withLock { state in
      state.generation += 1
      defer { state.isRunning = true }
      return !state.isRunning && !state.isOver
    }
    if begins { run() }
  }

  /// What is shown could not be brought up to date, and nobody may commit any more: it is tried again after a while.
  func tryAgain() {
    guard let seconds = state.withLock({ $0.backoff.fail() }) else { return }
    runner.run(after: seconds) { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.backoff.begin() }
      touch()
    }
  }

  /// It could.
  func hasSucceeded() { state.withLock { $0.backoff.succeed() } }

  private func run() {
    runner.run { [weak self] core in self?.run(core) }
  }

  private func run(_ core: ContextCore) {
    guard let generation = state.withLock({ $0.isOver ? nil : $0.generation }) else { return }
    store.watches.noteRun()
    let outcome: Outcome
    do {
      outcome = .answer(try PreparedFetch(request, in: core).answer())
    } catch {
      outcome = .failure(error)
    }
    let (tells, again) = state.withLock { state in
      state.found = (outcome, generation)
      let again = state.generation != generation
      state.isRunning = again
      let tells = !state.isTold && isNews(outcome, state)
      if tells { state.isTold = true }
      return (tells, again)
    }
    if tells { tell() }
    if again { run() }
  }

  private func isNews(_ outcome: Outcome, _ state: State) -> Bool {
    guard case .answer(let answer) = outcome, let shown = state.shown else { return true }
    return switch interest {
    case .members: !answer.hasSameRows(as: shown)
    case .versions: answer != shown
    case .everything: true
    }
  }

  // MARK: In the isolation of him who asked

  /// Whether a commit has touched what the query reads since an answer of that generation, or may have.
  func isTouched(since generation: Int) -> Bool {
    isUnderWay || state.withLock { $0.generation != generation }
  }

  /// Whether somebody is committing what nobody has been told of yet, and others may see already.
  var isUnderWay: Bool { store.observers.isCommitUnderWay }

  /// The generation that an answer which is begun now is of.
  var generation: Int { state.withLock { $0.generation } }

  /// He looks: what has been found, if nothing has touched it since.
  func look() -> (outcome: Outcome?, generation: Int) {
    state.withLock { state in
      state.isTold = false
      guard let found = state.found, found.generation == state.generation else { return (nil, state.generation) }
      return (found.outcome, found.generation)
    }
  }

  /// Notes what is shown. What has been found since he looked was compared with what he showed before, and he is told if it
  /// is another.
  ///
  /// - Parameters:
  ///   - answer: nil where that is with what is pending, or could not be had.
  ///   - generation: That of his look.
  func show(_ answer: LiveAnswer?, of generation: Int) {
    let tells = state.withLock { state in
      state.shown = answer
      guard let found = state.found, found.generation > generation, !state.isTold, isNews(found.outcome, state) else {
        return false
      }
      state.isTold = true
      return true
    }
    if tells { tell() }
  }

  func end() {
    store.remove(watch)
    state.withLock { $0.isOver = true }
  }
}
