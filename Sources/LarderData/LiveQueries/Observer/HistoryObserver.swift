import Dispatch
import LarderSQLite
import LarderSupport
public import Observation

/// An observable counter of transactions that changed specified models, made by specified authors. Observe it to learn that
/// there is new history to read.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["sync"], modelContainer: container)
/// withObservationTracking { _ = observer.eventCounter } onChange: { Task { await readHistory() } }
/// ```
///
/// For a ``DataStore`` whose history consists of ``DefaultHistoryTransaction``s, the observer counts those transactions. For
/// any other data store, it counts the saves of this container. Rows that a fetch imports do not count as a transaction.
// @unchecked: mutable state is behind a lock.
public final class HistoryObserver: @unchecked Sendable, Observable {
  /// The container whose stores' histories are observed.
  public let modelContainer: ModelContainer
  /// The models whose changes count. If empty, changes of all models count.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count. If empty, transactions of all authors count.
  public let authors: Set<String>

  private struct State {
    var eventCount = 0
    /// The last token read from each store, in the container's order.
    var cursors: [DefaultHistoryToken] = []
    /// Whether a count is in progress. `true` until the initializer, which counts first, has finished.
    var isRunning = true
    var isInvalidated = false
    var backoff = Backoff()
  }

  private let registrar = ObservationRegistrar()
  private let state = Locked(State())
  private let isolation: ObserverIsolation
  private let executor: LiveQueryExecutor
  private let observation: QueryObservation
  private let stores: [SQLiteStore]

  /// Creates an observer of the history of a container's stores.
  ///
  /// - Parameters:
  ///   - historyTokens: The last token read from each store, by the store's identifier. Later transactions count at once. A
  ///     store without a token starts at its current end; so do all stores if the dictionary is `nil`. If the dictionary is
  ///     empty, nothing has been read, and all existing transactions count.
  ///   - observedModels: The models whose changes count, including their subclasses. If empty, changes of all models count.
  ///   - authors: The authors whose transactions count. If empty, transactions of all authors count.
  ///   - modelContainer: The container to observe.
  ///   - isolation: The actor on which observers are notified; a thread of the library if `nil`.
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container does not have one of the models, and the errors of
  ///   ``ModelContext/fetchHistory(_:)``.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens, observedModels, authors, modelContainer, on: isolation)
    if historyTokens != nil { try countNewTransactions(in: ModelContext(modelContainer).core) }
    finishRun()
  }

  private init(
    _ tokens: [String: any HistoryToken]?, _ models: [any PersistentModel.Type], _ authors: Set<String>,
    _ container: ModelContainer, on actor: (any Actor)?
  ) throws {
    modelContainer = container
    observedModels = models
    self.authors = authors
    for model in models where !container.core.contains(model._$layout) {
      throw SwiftDataError.unknownSchema.explained(
        "\(model._$layout.entityName) is no model of this container, so its history cannot be observed. Name it where the "
          + "container is made, or leave it out of observedModels.")
    }
    stores = container.core.stores.map(\.store)
    isolation = ObserverIsolation(actor)
    executor = LiveQueryExecutor.shared(for: container.core)
    let touched = WeakObserver()
    observation = QueryObservation(QueryDependencies(everythingOf: models.map { $0._$layout })) {
      touched.observer?.invalidate()
    }
    touched.observer = self
    for store in stores { store.add(observation) }
    // Read after the observation is registered, so that a save between the two is counted.
    let places = try container.core.stores.map { try $0.historyCursor(after: tokens, container.core) }
    state.withLock { $0.cursors = places }
  }

  // @unchecked: set before another thread can read it, and only read afterwards.
  private final class WeakObserver: @unchecked Sendable {
    weak var observer: HistoryObserver?
  }

  deinit { for store in stores { store.remove(observation) } }

  /// The number of transactions counted so far.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.eventCount }
  }

  private func invalidate() {
    let begins = state.withLock { state in
      state.isInvalidated = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if begins { run() }
  }

  private func run() {
    executor.run { [weak self] core in
      guard let self else { return }
      state.withLock { $0.isInvalidated = false }
      do {
        try countNewTransactions(in: core)
        state.withLock { $0.backoff.recordSuccess() }
      } catch {
        Log.warning("The history could not be read for an observer, and is read again. \(error)")
        scheduleRetry()
      }
      finishRun()
    }
  }

  /// Counts again after a back-off, as long as the observer exists, since no further commit may come.
  private func scheduleRetry() {
    guard let seconds = state.withLock({ $0.backoff.recordFailure() }) else { return }
    executor.run(after: seconds) { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.backoff.beginRetry() }
      invalidate()
    }
  }

  /// Ends a run, and starts another one if a commit came in the meantime.
  private func finishRun() {
    let again = state.withLock { state in
      state.isRunning = state.isInvalidated
      return state.isInvalidated
    }
    if again { run() }
  }

  /// Counts the transactions since the cursors.
  private func countNewTransactions(in core: _ContextCore) throws {
    var places = state.withLock { $0.cursors }
    var events = 0
    var failure: (any Error)?
    for place in places.indices {
      // A failure of one store does not stop the count of the others.
      do { events += try countNewTransactions(&places[place], place, in: core) } catch { failure = failure ?? error }
    }
    let reached = places
    state.withLock { $0.cursors = reached }
    if events > 0 { notify(eventCount: events) }
    if let failure { throw failure }
  }

  /// Counts the transactions of one store since the specified token.
  ///
  /// - Returns: The number of transactions.
  private func countNewTransactions(_ token: inout DefaultHistoryToken, _ place: Int, in core: _ContextCore) throws
    -> Int
  {
    do {
      var (numbers, events) = (token.numbers, 0)
      for transaction in try core.historyTransactions(ofStore: place, after: token) {
        numbers.merge(transaction.token.numbers) { max($0, $1) }
        if counts(transaction) { events += 1 }
      }
      token = DefaultHistoryToken(numbers)
      return events
    } catch let error as SwiftDataError where error == .historyTokenExpired {
      // The transactions were deleted, so one event stands for all of them.
      token = try historyEnd(of: place)
    } catch let error as StoreError where error.code == .corrupt {
      // Reading the history throws this error, and names the store. The observer continues after the damaged part.
      Log.warning("\(error)")
      token = try historyEnd(of: place)
    }
    return 1
  }

  private func counts(_ transaction: DefaultHistoryTransaction) -> Bool {
    if !authors.isEmpty {
      guard let author = transaction.author, authors.contains(author) else { return false }
    }
    if observedModels.isEmpty { return true }
    return transaction.contents.layouts.contains { layout in
      observedModels.contains { layout.inherits(from: $0._$layout) }
    }
  }

  private func notify(eventCount events: Int) {
    let change: @Sendable () -> Void = { [weak self] in
      guard let self else { return }
      registrar.withMutation(of: self, keyPath: \.eventCounter) { self.state.withLock { $0.eventCount += events } }
    }
    if isolation.isAvailable { isolation.run(change) } else { change() }
  }

  /// Returns the token of the newest transaction of a store.
  private func historyEnd(of place: Int) throws -> DefaultHistoryToken {
    try modelContainer.core.stores[place].historyEnd(modelContainer.core)
  }
}
