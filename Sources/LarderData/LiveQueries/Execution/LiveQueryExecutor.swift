internal import Dispatch
import LarderSQLite
import LarderSupport
import Synchronization

/// A serial queue that runs the live queries of a container again, outside of the contexts that show the results.
///
/// The executor has its own context, which caches plans and statements. It caches no objects: if a query has to be evaluated
/// on objects, they are created for that run.
// @unchecked: only the queue's work uses the core.
package final class LiveQueryExecutor: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.live-queries", qos: .userInitiated, autoreleaseFrequency: .workItem)
  private let core: _ContextCore
  /// The number of queued work items.
  private let pendingWork = Atomic<Int>(0)

  init(_ container: ContainerCore) {
    core = _ContextCore(container: container)
    core.remoteChanges.isEnabled = false
    core.cachesObjects = false
  }

  /// Returns the executor of the specified container. The first query creates it, and the last one releases it.
  package static func shared(for container: ContainerCore) -> LiveQueryExecutor {
    container.liveQueryExecutor.withLock { held in
      if let runner = held.executor { return runner }
      let runner = LiveQueryExecutor(container)
      held.executor = runner
      return runner
    }
  }

  struct WeakReference {
    fileprivate(set) weak var executor: LiveQueryExecutor?
  }

  /// Runs work with the executor's context, after the work that was queued earlier.
  package func run(_ work: @escaping @Sendable (_ContextCore) -> Void) {
    pendingWork.add(1, ordering: .relaxed)
    queue.async {
      work(self.core)
      // Between two runs no snapshot is held, since a snapshot keeps the write-ahead log from being restarted.
      if self.pendingWork.subtract(1, ordering: .relaxed).newValue == 0 { self.core.releaseSnapshots() }
    }
  }

  /// Runs work after the specified number of seconds, unless the executor has been released.
  func run(after seconds: Double, _ work: @escaping @Sendable (_ContextCore) -> Void) {
    queue.asyncAfter(deadline: .now() + seconds) { [weak self] in if let self { work(core) } }
  }
}
