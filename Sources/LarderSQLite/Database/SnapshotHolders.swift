import LarderSupport

/// Those who hold snapshots for longer than a read, and let them go when they are asked: the log cannot begin anew before.
package struct SnapshotHolders: ~Copyable, Sendable {
  private let asked = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// - Parameters:
  ///   - holder: Who is removed before it ends. It is not held.
  ///   - letGo: Called on the thread that writes, which must not wait for anybody.
  package borrowing func add(_ holder: AnyObject, letGo: @escaping @Sendable () -> Void) {
    asked.withLock { $0[ObjectIdentifier(holder)] = letGo }
  }

  package borrowing func remove(_ holder: AnyObject) {
    asked.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(holder)) }
  }

  /// Asks all of them. Not under the lock: one may end while it is asked.
  borrowing func letGo() {
    for letGo in asked.withLock({ Array($0.values) }) { letGo() }
  }
}
