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
package struct SpinLock: ~Copyable, Sendable {
  @usableFromInline let isLocked = Atomic<Bool>(false)

  @inlinable
  package init() {}

  @inlinable
  package func lock() {
    if _slowPath(isLocked.exchange(true, ordering: .acquiring)) { spin() }
  }

  /// Takes the lock if nobody has it.
  @inlinable
  package func tryLock() -> Bool { !isLocked.exchange(true, ordering: .acquiring) }

  @inlinable
  package func unlock() { isLocked.store(false, ordering: .releasing) }

  @usableFromInline
  func spin() {
    repeat { sched_yield() } while isLocked.exchange(true, ordering: .acquiring)
  }
}
