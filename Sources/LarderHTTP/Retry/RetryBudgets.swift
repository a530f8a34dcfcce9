import Synchronization

/// What retries may add to a host's load: a bucket for each host, shared by all requests of a client.
final class RetryBudgets: Sendable {
  /// A client that asks ever new hosts must not keep a bucket for each.
  private static let hostLimit = 1_024

  private let capacity: Int
  private let hosts = Mutex<[String: RetryBudget]>([:])

  init(_ policy: RetryPolicy) { capacity = max(0, policy.budget) }

  func budget(for host: String) -> RetryBudget {
    hosts.withLock { hosts in
      if let budget = hosts[host] { return budget }
      if hosts.count >= Self.hostLimit { hosts.removeAll() }
      let budget = RetryBudget(capacity: capacity)
      hosts[host] = budget
      return budget
    }
  }
}

/// A bucket of tenths of retries.
final class RetryBudget: Sendable {
  private let capacity: Int
  private let tenths: Mutex<Int>

  init(capacity: Int) {
    let tenths = capacity.multipliedReportingOverflow(by: 10)
    self.capacity = tenths.overflow ? .max : tenths.partialValue
    self.tenths = Mutex(self.capacity)
  }

  /// Takes a retry, if there is one.
  func take() -> Bool {
    tenths.withLock { tenths in
      guard tenths >= 10 else { return false }
      tenths -= 10
      return true
    }
  }

  func succeeded() {
    tenths.withLock { $0 = min(capacity, $0 + 1) }
  }
}
