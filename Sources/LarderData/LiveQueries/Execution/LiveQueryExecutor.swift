internal import Dispatch
import LarderSQLite
import LarderSupport
import Synchronization

/// Runs a container's queries again, one after the other, away from the contexts that want to know.
///
/// It has a context of its own for that, which knows plans and statements. It keeps no objects: what must be asked of some,
/// they are made for.
// @unchecked: the core is used by the queue's work alone.
package final class LiveQueryExecutor: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.live-queries", qos: .userInitiated, autoreleaseFrequency: .workItem)
  private let core: _ContextCore
  /// What is to be done.
  private let pendingWork = Atomic<Int>(0)

  init(_ container: ContainerCore) {
    core = _ContextCore(container: container)
    core.remoteChanges.isEnabled = false
    core.cachesObjects = false
  }

  /// The container's own, made with the first query, and gone with the last.
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

  /// Does some work with the runner's context, when it has done what came before.
  package func run(_ work: @escaping @Sendable (_ContextCore) -> Void) {
    pendingWork.add(1, ordering: .relaxed)
    queue.async {
      work(self.core)
      // Between two runs there is no snapshot that would keep the log from beginning anew.
      if self.pendingWork.subtract(1, ordering: .relaxed).newValue == 0 { self.core.releaseSnapshots() }
    }
  }

  /// The same after some seconds, if somebody needs the runner then.
  func run(after seconds: Double, _ work: @escaping @Sendable (_ContextCore) -> Void) {
    queue.asyncAfter(deadline: .now() + seconds) { [weak self] in if let self { work(core) } }
  }
}
