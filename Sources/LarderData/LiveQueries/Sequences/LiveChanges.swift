/// An asynchronous sequence of a fetch descriptor's results with their changes, created by ``ModelContext/liveChanges(_:)``.
public struct LiveChanges<Model: PersistentModel>: AsyncSequence {
  public typealias Element = ResultsChange<Model>
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>

  public func makeAsyncIterator() -> Iterator { Iterator(context: context, descriptor: descriptor) }

  /// An iterator of the changes, in the isolation of the context.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let context: ModelContext
    fileprivate let descriptor: FetchDescriptor<Model>
    private var tracker = LiveIterationState<Model>.notStarted

    fileprivate init(context: ModelContext, descriptor: FetchDescriptor<Model>) {
      self.context = context
      self.descriptor = descriptor
    }

    /// Waits for the next change, or returns `nil` if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultsChange<Model>? {
      guard let (former, list) = try await tracker.next(context, descriptor, isolation: actor) else { return nil }
      return ResultsChange(from: former, to: list)
    }
  }
}

@available(*, unavailable, message: "live changes belong to their context's actor")
extension LiveChanges: Sendable {}
