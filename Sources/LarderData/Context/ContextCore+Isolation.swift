import LarderSQLite
import LarderSupport
import Synchronization

// A context belongs to one thread, queue or actor at a time. Debug builds report a use from another one, with the name of
// the operation; release builds do not check.

extension _ContextCore {
  /// Checks, in debug builds, that the context is used in its isolation: the main context on the main queue, a model actor's
  /// context on the queue of its executor, and any other context on one thread at a time.
  ///
  /// - Parameter operation: The operation, as in "save()".
  @inline(__always)
  func checkIsolation(_ operation: @autoclosure () -> String) {
    #if DEBUG
      if !isOrphaned { _checkIsolation(operation()) }
    #endif
  }
}

#if DEBUG
  extension _ContextCore {
    private func _checkIsolation(_ operation: String) {
      if let scheduler {
        return Contract.require(
          scheduler.isCurrent,
          "\(operation) was called on the context of \(scheduler.isMain ? "the main actor" : "a model actor") from another "
            + "thread. A context and its models are used in one isolation; hand identifiers or copies of values on.")
      }
      Contract.require(
        !isActiveOnAnotherThread,
        "\(operation) was called on a context in which another thread is at work. A context and its models are used by "
          + "one task or thread at a time; hand identifiers or copies of values on.")
    }

    /// Whether another thread performs quiet work in this context.
    private var isActiveOnAnotherThread: Bool {
      let worker = _activeThread.load(ordering: .relaxed)
      return worker != 0 && worker != OwnedLock.currentThread
    }

    /// Records the current thread when quiet work begins, and checks it when quiet work nests.
    func _recordActiveThread() {
      if activity.deferralDepth == 0 { return _activeThread.store(OwnedLock.currentThread, ordering: .relaxed) }
      Contract.require(
        !isActiveOnAnotherThread,
        "A context was used while another thread is at work in it. One task or thread uses it at a time.")
    }

    func _clearActiveThread() { if activity.deferralDepth == 0 { _activeThread.store(0, ordering: .relaxed) } }
  }
#endif
