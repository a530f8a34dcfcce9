internal import CLarderSQLite
internal import Synchronization

/// A fair lock that knows which thread holds it.
package final class OwnedLock: Sendable {
  private let lock = FairLock()
  private let owner = Atomic<UInt64>(0)

  package init() {}

  package var isMine: Bool { owner.load(ordering: .relaxed) == larder_thread_identifier() }

  var waiting: Int { lock.waiting }

  package func enter(limit: Duration) -> Bool {
    guard lock.enter(limit: limit) else { return false }
    owner.store(larder_thread_identifier(), ordering: .relaxed)
    return true
  }

  package func leave() {
    owner.store(0, ordering: .relaxed)
    lock.leave()
  }
}
