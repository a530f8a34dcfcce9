#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A value that only one thread at a time can access.
///
/// It has the semantics of `Mutex`, on the system's own lock. The thread sanitizer sees that lock; a contended `Mutex`
/// is handed over inside the runtime, where the sanitizer does not see it and reports false races.
// @unchecked: the value is accessed only through `withLock`.
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
  private let value: UnsafeMutablePointer<Value>
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ initial: Value) {
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
    mutex = .allocate(capacity: 1)
    // It can fail only because of attributes, and there are none.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs the body with the value, while no other thread can access it.
  package borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
