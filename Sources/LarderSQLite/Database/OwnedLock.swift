internal import CLarderSQLite
internal import LarderSupport
internal import Synchronization

/// A fair lock that knows which thread holds it.
package final class OwnedLock: Sendable {
  private let lock = FairLock()
  private let owner = Atomic<UInt64>(0)

  package init() {}

  /// The identifier of the calling thread.
  package static var currentThread: UInt64 { larder_thread_identifier() }

  package var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == OwnedLock.currentThread }

  var waiterCount: Int { lock.waiterCount }

  package func enter(timeout limit: Duration) -> Bool {
    #if DEBUG
      Contract.require(!isHeldByCurrentThread, "A thread waits for a lock that it has.")
    #endif
    guard lock.enter(timeout: limit) else { return false }
    owner.store(OwnedLock.currentThread, ordering: .relaxed)
    return true
  }

  package func leave() {
    #if DEBUG
      Contract.require(isHeldByCurrentThread, "A thread leaves a lock that it has not.")
    #endif
    owner.store(0, ordering: .relaxed)
    lock.leave()
  }
}
