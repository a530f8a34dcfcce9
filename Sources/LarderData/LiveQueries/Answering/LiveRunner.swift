internal import Dispatch
import LarderSQLite
import LarderSupport
import Synchronization

/// Runs a container's queries again, one after the other, away from the contexts that want to know.
///
/// It has a context of its own for that, which knows plans and statements. It keeps no objects: what must be asked of some,
/// they are made for.
// @unchecked: the core is used by the queue's work alone.
package final class LiveRunner: @unchecked Sendable {
  private let queue = DispatchQueue(label: "larder.live-queries", qos: .userInitiated, autoreleaseFrequency: .workItem)
  private let core: ContextCore
  /// What is to be done.
  private let coming = Atomic<Int>(0)

  init(_ container: ContainerCore) {
    core = ContextCore(container: container)
    core.inbox.isOpen = false
    core.keepsObjects = false
  }

  /// The container's own, made with the first query, and gone with the last.
  package static func of(_ container: ContainerCore) -> LiveRunner {
    container.liveRunner.withLock { held in
      if let runner = held.runner { return runner }
      let runner = LiveRunner(container)
      held.runner = runner
      return runner
    }
  }

  struct Held {
    fileprivate(set) weak var runner: LiveRunner?
  }

  /// Does some work with the runner's context, when it has done what came before.
  package func run(_ work: @escaping @Sendable (ContextCore) -> Void) {
    coming.add(1, ordering: .relaxed)
    queue.async {
      work(self.core)
      // Between two runs there is no snapshot that would keep the log from beginning anew.
      if self.coming.subtract(1, ordering: .relaxed).newValue == 0 { self.core.endLeases() }
    }
  }

  /// The same after some seconds, if somebody needs the runner then.
  func run(after seconds: Double, _ work: @escaping @Sendable (ContextCore) -> Void) {
    queue.asyncAfter(deadline: .now() + seconds) { [weak self] in if let self { work(core) } }
  }
}
