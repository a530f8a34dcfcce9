public import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock for very short critical sections: a few instructions on an identity map, or a longer section that only a
/// timer contends for, with ``tryLock()``.
///
/// An instance takes it three times in its life, so it has to cost less than a system lock. A thread that finds it
/// taken yields to other threads.
@usableFromInline
package struct SpinLock: ~Copyable, Sendable {
  @usableFromInline let isLocked = Atomic<Bool>(false)

  @inlinable
  package init() {}

  @inlinable
  package func lock() {
    if _slowPath(isLocked.exchange(true, ordering: .acquiring)) { spin() }
  }

  /// Takes the lock if it is free. Returns whether it did.
  @inlinable
  package func tryLock() -> Bool { !isLocked.exchange(true, ordering: .acquiring) }

  @inlinable
  package func unlock() { isLocked.store(false, ordering: .releasing) }

  @usableFromInline
  func spin() {
    repeat { sched_yield() } while isLocked.exchange(true, ordering: .acquiring)
  }
}
