public import Synchronization

/// How many objects a context has, and the lock that guards this and its identity maps: an object may be released by any
/// thread.
///
/// It lies behind a pointer, which the maps' owners copy, because to reach it through the context would count references
/// for every row that is read. Nothing here is written by an exclusive access, which would be one to the lock, too.
@usableFromInline
package struct InstanceCount: ~Copyable {
  @usableFromInline package let lock = SpinLock()
  /// Read by anybody, written under `lock`.
  @usableFromInline let value = Atomic<Int>(0)

  package init() {}

  package var count: Int { value.load(ordering: .relaxed) }

  /// Under `lock`: returns whether this is the first.
  @inlinable
  package func increment() -> Bool {
    let before = value.load(ordering: .relaxed)
    value.store(before &+ 1, ordering: .relaxed)
    return before == 0
  }

  /// Under `lock`: returns whether this was the last.
  @inlinable
  package func decrement() -> Bool {
    let after = value.load(ordering: .relaxed) &- 1
    value.store(after, ordering: .relaxed)
    return after == 0
  }
}
