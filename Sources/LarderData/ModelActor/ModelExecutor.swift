package import Dispatch

/// An executor for a model actor's work, with the context that this work uses.
public protocol ModelExecutor: Executor {
  /// The context that the work uses.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// A model executor that runs a model actor on a separate queue, no matter where the actor was created.
// @unchecked: only jobs on the queue use the context.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  public let modelContext: ModelContext
  package let queue = DispatchQueue(label: "larder.model-actor", autoreleaseFrequency: .workItem)
  /// The queue's reference to the executor. It is not a weak reference: the actor retains the executor at each access to its
  /// context, and a weak reference would make each retain slower.
  private let weakHandle = WeakHandle<DefaultSerialModelExecutor>()

  /// Creates an executor with a separate queue.
  ///
  /// - Parameter modelContext: A context that no other code uses from now on.
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

  /// Stops the program unless the current code runs on the queue: for `assumeIsolated` and `preconditionIsolated`.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
