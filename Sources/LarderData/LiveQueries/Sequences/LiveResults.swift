/// The models that a descriptor asks for, now and after each change; see ``ModelContext/liveResults(_:)``.
public struct LiveResults<Model: PersistentModel>: AsyncSequence {
  public typealias Element = [Model]
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>

  public func makeAsyncIterator() -> Iterator { Iterator(context: context, descriptor: descriptor) }

  /// Goes through the results, in the isolation of its context.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let context: ModelContext
    fileprivate let descriptor: FetchDescriptor<Model>
    private var tracker = LiveIterationState<Model>.notStarted

    fileprivate init(context: ModelContext, descriptor: FetchDescriptor<Model>) {
      self.context = context
      self.descriptor = descriptor
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Model]? {
      try await tracker.next(context, descriptor, isolation: actor)?.list.elements
    }
  }
}

@available(*, unavailable, message: "live results belong to their context's actor")
extension LiveResults: Sendable {}
