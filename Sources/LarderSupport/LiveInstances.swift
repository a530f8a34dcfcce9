/// How many instances a context has in all its identity maps, and the lock that guards maps and count: an instance may
/// be released by any thread.
///
/// It lies behind a pointer, which the maps' owners copy, because to reach it through the context would count references
/// for every row that is read.
@usableFromInline
package struct LiveInstances: ~Copyable {
  @usableFromInline package let lock = BriefLock()
  @usableFromInline package private(set) var count = 0

  package init() {}

  /// Under `lock`: returns whether this is the first.
  @inlinable
  package mutating func add() -> Bool {
    count &+= 1
    return count == 1
  }

  /// Under `lock`: returns whether this was the last.
  @inlinable
  package mutating func remove() -> Bool {
    count &-= 1
    return count == 0
  }
}
