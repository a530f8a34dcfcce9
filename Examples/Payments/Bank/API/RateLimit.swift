import Foundation
import Synchronization

/// So many requests in a second, and no more. Safe to use from any thread.
final class RateLimit: Sendable {
  private let most: Int
  private let now: @Sendable () -> Date
  private let state = Mutex((second: 0, count: 0))

  init(_ most: Int, now: @escaping @Sendable () -> Date = { .now }) {
    self.most = most
    self.now = now
  }

  /// Counts a request; false if it is one too many.
  func admits() -> Bool {
    let second = Int(now().timeIntervalSince1970)
    return state.withLock { state in
      if state.second != second { state = (second, 0) }
      state.count += 1
      return state.count <= most
    }
  }
}
