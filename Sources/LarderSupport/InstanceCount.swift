public import Synchronization

/// The number of objects of a context, and the lock that guards it and the context's identity maps: any thread may
/// release an object.
///
/// It is stored behind a pointer, which the owners of the maps copy: reaching it through the context would update a
/// reference count for every row that is read. Nothing in it is written by an exclusive access, which would also be an
/// access to the lock.
@usableFromInline
package struct InstanceCount: ~Copyable {
  @usableFromInline package let lock = SpinLock()
  /// Read by any thread, written under `lock`.
  @usableFromInline let value = Atomic<Int>(0)

  package init() {}

  package var count: Int { value.load(ordering: .relaxed) }

  /// Increments the count, under `lock`. Returns whether this object is the first.
  @inlinable
  package func increment() -> Bool {
    let before = value.load(ordering: .relaxed)
    value.store(before &+ 1, ordering: .relaxed)
    return before == 0
  }

  /// Decrements the count, under `lock`. Returns whether this object was the last.
  @inlinable
  package func decrement() -> Bool {
    let after = value.load(ordering: .relaxed) &- 1
    value.store(after, ordering: .relaxed)
    return after == 0
  }
}
