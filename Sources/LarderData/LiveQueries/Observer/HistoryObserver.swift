import Dispatch
import LarderSQLite
import LarderSupport
public import Observation

/// Counts the transactions that some models were changed in, by some authors: for those who follow the history, and want
/// to know when there is more of it.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["sync"], modelContainer: container)
/// withObservationTracking { _ = observer.eventCounter } onChange: { Task { await readHistory() } }
/// ```
///
/// Of a ``DataStore`` that has the history of a store of SQLite that is counted; of any other, what was saved by this
/// container. What a fetch brings is no transaction.
// @unchecked: what changes is behind a lock.
public final class HistoryObserver: @unchecked Sendable, Observable {
  /// The container whose stores' histories are observed.
  public let modelContainer: ModelContainer
  /// The models whose changes count; all where there are none.
  public let observedModels: [any PersistentModel.Type]
  /// Whose transactions count; everybody's where there are none.
  public let authors: Set<String>

  private struct State {
    var eventCount = 0
    /// What was read last of each store, in the container's order.
    var cursors: [DefaultHistoryToken] = []
    /// Until it is made, nobody counts but who makes it.
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

  /// Observes the history of a container's stores.
  ///
  /// - Parameters:
  ///   - historyTokens: What has been read already, by the identifiers of the stores: what follows counts at once. A store
  ///     without one begins with what is saved from now on, and so do all where it is nil; where it is empty, nothing has
  ///     been read, and all that there is counts.
  ///   - observedModels: The models whose changes count, with those that inherit from them; all where there are none.
  ///   - authors: Whose transactions count; everybody's where there are none.
  ///   - modelContainer: The container.
  ///   - isolation: Where changes are told; by a thread of the library's where it is nil.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a model that the container does not have; as
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
    // After the watch: what is saved between the two is counted.
    let places = try container.core.stores.map { try $0.historyCursor(after: tokens, container.core) }
    state.withLock { $0.cursors = places }
  }

  // @unchecked: set before anybody else knows of it, and only read afterwards.
  private final class WeakObserver: @unchecked Sendable {
    weak var observer: HistoryObserver?
  }

  deinit { for store in stores { store.remove(observation) } }

  /// How many transactions have been counted.
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

  /// Nobody may save any more: what failed is tried again without being asked for, as long as there is the observer.
  private func scheduleRetry() {
    guard let seconds = state.withLock({ $0.backoff.recordFailure() }) else { return }
    executor.run(after: seconds) { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.backoff.beginRetry() }
      invalidate()
    }
  }

  /// Goes on where something has come meanwhile.
  private func finishRun() {
    let again = state.withLock { state in
      state.isRunning = state.isInvalidated
      return state.isInvalidated
    }
    if again { run() }
  }

  /// Counts what is there by now, and was not before.
  private func countNewTransactions(in core: _ContextCore) throws {
    var places = state.withLock { $0.cursors }
    var events = 0
    var failure: (any Error)?
    for place in places.indices {
      // What one store cannot tell now keeps nobody from what the others do.
      do { events += try countNewTransactions(&places[place], place, in: core) } catch { failure = failure ?? error }
    }
    let reached = places
    state.withLock { $0.cursors = reached }
    if events > 0 { notify(eventCount: events) }
    if let failure { throw failure }
  }

  /// - Returns: How many transactions one store has had since.
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
      // What happened is gone, but that something did is known.
      token = try historyEnd(of: place)
    } catch let error as StoreError where error.code == .corrupt {
      // Who reads the history is told so, and by whom: here it goes on with what comes after.
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

  private func historyEnd(of place: Int) throws -> DefaultHistoryToken {
    try modelContainer.core.stores[place].historyEnd(modelContainer.core)
  }
}
