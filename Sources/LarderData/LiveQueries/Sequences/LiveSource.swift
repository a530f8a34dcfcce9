/// What a live sequence's iterator reads, in the isolation of him who iterates.
final class LiveSource<Model: PersistentModel> {
  private let list: LiveList<Model>
  private let signal: LiveSignal
  private var hasBegun = false

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) throws {
    let signal = LiveSignal()
    self.signal = signal
    list = try LiveList(descriptor, in: context, interest: .versions) { signal.tell() }
    context.core.add(self)
  }

  /// The results before and after the next change; nil when the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws -> (former: LiveAnswer, list: LiveList<Model>)? {
    if !hasBegun {
      hasBegun = true
      return Task.isCancelled ? nil : (LiveAnswer(), list)
    }
    while true {
      // What changed while nobody waited is there already.
      guard await signal.wait() else { return nil }
      let former = list.answer
      guard let news = try list.news() else { continue }
      let isSame = news.answer == former && news.elements.elementsEqual(list.elements, by: ===)
      list.take(news)
      if !isSame { return (former, list) }
    }
  }
}

/// Where an iterator stands: once it has thrown, or come to its end, nothing follows.
enum LiveTurn<Model: PersistentModel> {
  case first
  case on(LiveSource<Model>)
  case over

  mutating func next(
    _ context: ModelContext, _ descriptor: FetchDescriptor<Model>, isolation: isolated (any Actor)?
  ) async throws -> (former: LiveAnswer, list: LiveList<Model>)? {
    let source: LiveSource<Model>
    switch self {
    case .over: return nil
    case .on(let begun): source = begun
    case .first:
      self = .over
      source = try LiveSource(context, descriptor)
    }
    self = .over
    guard let next = try await source.next(isolation: isolation) else { return nil }
    self = .on(source)
    return next
  }
}

extension LiveSource: LiveListening {
  var isToldByItself: Bool { true }
  func tellOfPending() { list.tellOfPending() }
  /// He who iterates looks himself.
  func look() { signal.tell() }
}
