#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A value that one thread at a time can reach.
///
/// What `Mutex` is, by the system's own lock: the thread sanitizer sees that, while the runtime hands a contended `Mutex`
/// over out of its sight, and reports races that are none.
// @unchecked: the value is reached through `withLock` alone.
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
  private let value: UnsafeMutablePointer<Value>
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ initial: Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
    mutex = .allocate(capacity: 1)
    // Fails for attributes alone, of which there are none.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs the body with the value, while no other thread can.
  package borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
