internal import CLarderSQLite

/// A lock, or a number of permits, granted in the order in which threads ask.
final class FairLock: @unchecked Sendable {
  // Safe to share: the turnstile has its own mutex, and the pointer never changes.
  private let turnstile: OpaquePointer

  init(permits: Int = 1) {
    guard let turnstile = larder_turnstile_create(Int64(permits)) else {
      // As Swift itself does when there is no memory for an object.
      fatalError("There is no memory for a lock of \(permits) permits.")
    }
    self.turnstile = turnstile
  }

  deinit { larder_turnstile_destroy(turnstile) }

  /// Waits for a permit.
  ///
  /// - Returns: `false` if the limit passed first.
  func enter(timeout limit: Duration) -> Bool { larder_turnstile_enter(turnstile, limit.nanoseconds) == 0 }

  func leave() { larder_turnstile_leave(turnstile) }

  /// The number of threads that wait.
  var waiterCount: Int { Int(larder_turnstile_waiting(turnstile)) }
}
