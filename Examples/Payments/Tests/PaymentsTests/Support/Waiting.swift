import Testing

/// Waits for a condition: far longer than anything takes, even on a slow machine.
func wait(for what: String, _ condition: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(600)
  while try await !condition() {
    try #require(ContinuousClock.now < end, "Waited in vain for \(what).")
    try await Task.sleep(for: .milliseconds(5))
  }
}
