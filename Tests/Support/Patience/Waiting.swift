import Foundation
import LarderSQLite
import LarderSupport
import Observation
package import Testing

/// Whether an observer has been told.
package final class Told: Sendable {
  private let flag = Locked(false)
  package var isRaised: Bool { flag.withLock { $0 } }

  /// Is told of the next change of what is read.
  package init(_ read: () -> Void) {
    withObservationTracking(read) { self.flag.withLock { $0 = true } }
  }
}

/// Longer than anything takes, also where four processes share two cores under a sanitizer.
package let patience = Duration.seconds(60)

/// The most that one turn counts for. Where tests that block keep every thread of the pool for a minute, whoever waits
/// has waited one turn, and so has what is waited for.
private let longestTurn = Duration.milliseconds(100)

/// Waits, giving others their turns, until something is so.
package func until(
  _ what: String, isolation: isolated (any Actor)? = #isolation, location: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  var waited = Duration.zero
  var last = ContinuousClock.now
  while try await !condition() {
    let now = ContinuousClock.now
    waited += min(now - last, longestTurn)
    last = now
    if waited > patience {
      Issue.record("waited in vain for \(what)", sourceLocation: location)
      throw CancellationError()
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Gives whatever is on its way the time to arrive.
package func settle(isolation: isolated (any Actor)? = #isolation) async throws {
  for _ in 0..<20 { try await Task.sleep(for: .milliseconds(2)) }
}
