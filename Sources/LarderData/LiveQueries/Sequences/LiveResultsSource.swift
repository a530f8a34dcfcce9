/// What a live sequence's iterator reads, in the isolation of him who iterates.
final class LiveResultsSource<Model: PersistentModel> {
  private let list: LiveList<Model>
  private let signal: AsyncSignal
  private var hasStarted = false

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) throws {
    let signal = AsyncSignal()
    self.signal = signal
    list = try LiveList(descriptor, in: context, changeCriterion: .versions) { signal.signal() }
    context.core.add(self)
  }

  /// The results before and after the next change; nil when the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws -> (former: QueryResultSnapshot, list: LiveList<Model>)? {
    if !hasStarted {
      hasStarted = true
      return Task.isCancelled ? nil : (QueryResultSnapshot(), list)
    }
    while true {
      // What changed while nobody waited is there already.
      guard await signal.wait() else { return nil }
      let former = list.snapshot
      guard let news = try list.fetchUpdate() else { continue }
      let isSame = news.snapshot == former && news.elements.elementsEqual(list.elements, by: ===)
      list.apply(news)
      if !isSame { return (former, list) }
    }
  }
}

/// Where an iterator stands: once it has thrown, or come to its end, nothing follows.
enum LiveIterationState<Model: PersistentModel> {
  case notStarted
  case iterating(LiveResultsSource<Model>)
  case finished

  mutating func next(
    _ context: ModelContext, _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)?
  ) async throws -> (former: QueryResultSnapshot, list: LiveList<Model>)? {
    let source: LiveResultsSource<Model>
    switch self {
    case .finished: return nil
    case .iterating(let begun): source = begun
    case .notStarted:
      self = .finished
      source = try LiveResultsSource(context, descriptor)
    }
    self = .finished
    guard let next = try await source.next(isolation: isolation) else { return nil }
    self = .iterating(source)
    return next
  }
}

extension LiveResultsSource: LiveListMember {
  var notifiesItself: Bool { true }
  func notifyPendingChange() { list.notifyPendingChange() }
  /// He who iterates looks himself.
  func refresh() { signal.signal() }
}
