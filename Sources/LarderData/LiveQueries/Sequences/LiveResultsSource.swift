/// The live list of an asynchronous sequence's iterator, in the isolation of the iterating task.
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

  /// Returns the results before and after the next change, or `nil` if the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws -> (former: QueryResultSnapshot, list: LiveList<Model>)? {
    if !hasStarted {
      hasStarted = true
      return Task.isCancelled ? nil : (QueryResultSnapshot(), list)
    }
    while true {
      // A change that came while the task was not waiting has set the signal.
      guard await signal.wait() else { return nil }
      let former = list.snapshot
      guard let news = try list.fetchUpdate() else { continue }
      let isSame = news.snapshot == former && news.elements.elementsEqual(list.elements, by: ===)
      list.apply(news)
      if !isSame { return (former, list) }
    }
  }
}

/// The state of an iterator. An iterator that has thrown or ended returns no more elements.
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
  /// Resumes the iterating task, which fetches the update.
  func refresh() { signal.signal() }
}
