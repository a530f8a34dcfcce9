import LarderSupport

/// The holders of snapshots that last longer than one read. They release them on request: the log cannot restart
/// before.
package struct SnapshotLeases: ~Copyable, Sendable {
  private let releaseHandlers = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// Adds a holder.
  ///
  /// - Parameters:
  ///   - holder: The object that holds the snapshot. It is not retained; it must be removed before it is deallocated.
  ///   - letGo: Called on the writing thread; it must not wait for another thread.
  package borrowing func add(_ holder: AnyObject, release letGo: @escaping @Sendable () -> Void) {
    releaseHandlers.withLock { $0[ObjectIdentifier(holder)] = letGo }
  }

  package borrowing func remove(_ holder: AnyObject) {
    releaseHandlers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(holder)) }
  }

  /// Asks all holders to release. The lock is not held: a holder may be removed during the call.
  borrowing func releaseAll() {
    for letGo in releaseHandlers.withLock({ Array($0.values) }) { letGo() }
  }
}
