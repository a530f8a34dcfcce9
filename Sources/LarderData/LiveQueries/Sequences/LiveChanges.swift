/// The models that a descriptor asks for, and what changed, now and after each change; see
/// ``ModelContext/liveChanges(_:)``.
public struct LiveChanges<Model: PersistentModel>: AsyncSequence {
  public typealias Element = ResultsChange<Model>
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>

  public func makeAsyncIterator() -> Iterator { Iterator(context: context, descriptor: descriptor) }

  /// Goes through the changes, in the isolation of its context.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let context: ModelContext
    fileprivate let descriptor: FetchDescriptor<Model>
    private var tracker = LiveIterationState<Model>.notStarted

    fileprivate init(context: ModelContext, descriptor: FetchDescriptor<Model>) {
      self.context = context
      self.descriptor = descriptor
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultsChange<Model>? {
      guard let (former, list) = try await tracker.next(context, descriptor, isolation: actor) else { return nil }
      return ResultsChange(from: former, to: list)
    }
  }
}

@available(*, unavailable, message: "live changes belong to their context's actor")
extension LiveChanges: Sendable {}
