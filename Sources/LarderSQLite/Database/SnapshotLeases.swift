import LarderSupport

/// Those who hold snapshots for longer than a read, and let them go when they are asked: the log cannot begin anew before.
package struct SnapshotLeases: ~Copyable, Sendable {
  private let releaseHandlers = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// - Parameters:
  ///   - holder: Who is removed before it ends. It is not held.
  ///   - letGo: Called on the thread that writes, which must not wait for anybody.
  package borrowing func add(_ holder: AnyObject, release letGo: @escaping @Sendable () -> Void) {
    releaseHandlers.withLock { $0[ObjectIdentifier(holder)] = letGo }
  }

  package borrowing func remove(_ holder: AnyObject) {
    releaseHandlers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(holder)) }
  }

  /// Asks all of them. Not under the lock: one may end while it is asked.
  borrowing func releaseAll() {
    for letGo in releaseHandlers.withLock({ Array($0.values) }) { letGo() }
  }
}
