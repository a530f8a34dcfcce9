import Foundation
import Testing

/// In seconds: far longer than anything takes, even on a slow machine. For whoever sees a test fail, `PATIENCE` is less.
private let patience = ProcessInfo.processInfo.environment["PATIENCE"].flatMap(Double.init) ?? 600

/// Waits for a condition.
func wait(for what: String, _ condition: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(patience)
  while try await !condition() {
    try #require(ContinuousClock.now < end, "Waited in vain for \(what).")
    try await Task.sleep(for: .milliseconds(5))
  }
}
