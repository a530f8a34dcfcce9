import Synchronization

/// The budgets of retries, which limit the additional load on a host: one for each host, shared by all requests of a client.
/// The budget of the client's own base, which receives nearly all requests, is always kept.
final class RetryBudgets: Sendable {
  /// 1,024: a client that requests ever new hosts must not keep a budget for each.
  private static let hostLimit = 1_024

  private let capacity: Int
  private let elapsed: @Sendable () -> Duration
  private let budgetsByHost = Mutex<[String: RetryBudget]>([:])
  private let baseHost: String
  let baseBudget: RetryBudget

  init(_ policy: RetryPolicy, dependencies environment: HTTPDependencies, baseHost host: String) {
    capacity = max(0, policy.budget)
    elapsed = environment.clock.makeStopwatch()
    baseHost = host
    baseBudget = RetryBudget(capacity: capacity, elapsed: elapsed)
  }

  func budget(for host: String) -> RetryBudget {
    if host == baseHost { return baseBudget }
    return budgetsByHost.withLock { hosts in
      if let budget = hosts[host] { return budget }
      if hosts.count >= Self.hostLimit { hosts.removeAll() }
      let budget = RetryBudget(capacity: capacity, elapsed: elapsed)
      hosts[host] = budget
      return budget
    }
  }
}

/// A budget in tenths of retries. Each success adds a tenth, and so does each second: a host whose requests all fail is still
/// asked occasionally.
final class RetryBudget: Sendable {
  private struct State {
    var tenths: Int
    /// The second up to which the budget was refilled.
    var filledUntil: Int64
  }

  private let capacity: Int
  private let elapsed: @Sendable () -> Duration
  private let state: Mutex<State>

  init(capacity: Int, elapsed: @escaping @Sendable () -> Duration) {
    let tenths = capacity.multipliedReportingOverflow(by: 10)
    self.capacity = tenths.overflow ? .max : tenths.partialValue
    self.elapsed = elapsed
    state = Mutex(State(tenths: self.capacity, filledUntil: elapsed().components.seconds))
  }

  /// Takes one retry from the budget; false if it has none left.
  func tryWithdraw() -> Bool {
    let now = elapsed().components.seconds
    return state.withLock { state in
      let passed = max(0, now - state.filledUntil)
      state.filledUntil = now
      state.tenths = passed < capacity - state.tenths ? state.tenths + Int(passed) : capacity
      guard state.tenths >= 10 else { return false }
      state.tenths -= 10
      return true
    }
  }

  func deposit() {
    state.withLock { state in
      if state.tenths < capacity { state.tenths += 1 }
    }
  }
}
