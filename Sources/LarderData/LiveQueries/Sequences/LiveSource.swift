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

  deinit { list.context.core.liveLists?.remove(self) }

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

extension LiveSource: LiveListening {
  var isToldByItself: Bool { true }
  func tellOfPending() { list.tellOfPending() }
  /// He who iterates looks himself.
  func look() { signal.tell() }
}
