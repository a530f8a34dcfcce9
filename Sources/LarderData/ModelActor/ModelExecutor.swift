package import Dispatch

/// Where a model actor's work runs, and the context that it works in.
public protocol ModelExecutor: Executor {
  /// The context that the work uses.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one piece of work at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs a model actor on a queue of its own, wherever the actor was made.
// @unchecked: the context is used by the queue's work alone.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  public let modelContext: ModelContext
  package let queue = DispatchQueue(label: "larder.model-actor", autoreleaseFrequency: .workItem)
  /// What leads to it from its queue. The actor asks for the executor with each use of its context, so that a weak
  /// reference to it would be paid for there.
  private let weakHandle = WeakHandle<DefaultSerialModelExecutor>()

  /// Makes an executor with a queue of its own.
  ///
  /// - Parameter modelContext: A context that nobody else uses from here on.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    weakHandle.attach(to: self)
    modelContext.core.setScheduler(.modelActor(queue, owner: weakHandle))
  }

  deinit { weakHandle.invalidate() }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Whether the current code runs on the queue: for `assumeIsolated` and `preconditionIsolated`.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
