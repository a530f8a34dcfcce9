/// An asynchronous sequence of a fetch descriptor's results, created by ``ModelContext/liveResults(_:)``.
public struct LiveResults<Model: PersistentModel>: AsyncSequence {
  public typealias Element = [Model]
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>

  public func makeAsyncIterator() -> Iterator { Iterator(context: context, descriptor: descriptor) }

  /// An iterator of the results, in the isolation of the context.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let context: ModelContext
    fileprivate let descriptor: FetchDescriptor<Model>
    private var tracker = LiveIterationState<Model>.notStarted

    fileprivate init(context: ModelContext, descriptor: FetchDescriptor<Model>) {
      self.context = context
      self.descriptor = descriptor
    }

    /// Waits for the next results, or returns `nil` if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Model]? {
      try await tracker.next(context, descriptor, isolation: actor)?.list.elements
    }
  }
}

@available(*, unavailable, message: "live results belong to their context's actor")
extension LiveResults: Sendable {}
