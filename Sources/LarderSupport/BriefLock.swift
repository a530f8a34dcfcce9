public import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock for moments: what is done under it is a few instructions on an identity map, or is tried by nobody but a
/// timer that does not wait.
///
/// An instance's life takes it three times, so it has to cost less than a lock of the system. Whoever finds it taken lets
/// others run.
@usableFromInline
package struct BriefLock: ~Copyable, Sendable {
  @usableFromInline let isTaken = Atomic<Bool>(false)

  @inlinable
  package init() {}

  @inlinable
  package func lock() {
    if _slowPath(isTaken.exchange(true, ordering: .acquiring)) { wait() }
  }

  /// Takes the lock if nobody has it.
  @inlinable
  package func tryLock() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

  @inlinable
  package func unlock() { isTaken.store(false, ordering: .releasing) }

  @usableFromInline
  func wait() {
    repeat { sched_yield() } while isTaken.exchange(true, ordering: .acquiring)
  }
}
