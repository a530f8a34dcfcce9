import Foundation

/// Keeps at the payments that are on their way until each is made or refused.
struct PaymentQueue: Sendable {
  let sender: PaymentSender
  /// How many are under way at a time.
  var width = 4
  /// How long it sleeps at most while something is open.
  var longestPause: TimeInterval = 0.5
  /// Is told why a payment is not made yet, each time.
  var tell: @Sendable (PaymentFailure) -> Void = { _ in }

  private var desk: PaymentDesk { sender.desk }

  /// Works until nothing is open.
  ///
  /// - Throws: ``PaymentFailure/needsSignIn``, ``PaymentFailure/untrusted``, ``PaymentFailure/notSetUp`` and
  ///   ``PaymentFailure/otherParty``, where somebody has to help.
  func empty() async throws {
    while try await turn(endsWithoutHelp: true) { try Task.checkCancellation() }
  }

  /// Works for as long as it is not cancelled.
  func run() async throws {
    while !Task.isCancelled {
      if try await turn() { continue }
      try await Task.sleep(for: .seconds(longestPause))
    }
  }

  /// Looks at each open payment once whose time has come.
  ///
  /// - Returns: Whether anything is left.
  private func turn(endsWithoutHelp: Bool = false) async throws -> Bool {
    let now = Date.now
    let open = try await desk.open().map { order, at in
      (order: order, at: sender.patience.time(at, of: order.state, now: now))
    }
    guard let first = open.map(\.at).min() else { return false }
    let due = open.filter { $0.at <= now }.map(\.order)
    if due.isEmpty {
      try await Task.sleep(for: .seconds(min(longestPause, max(0.001, first.timeIntervalSince(now)))))
      return true
    }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for (place, order) in due.enumerated() {
        if place >= width { try await tasks.next() }
        tasks.addTask { try await look(at: order, endsWithoutHelp) }
      }
      try await tasks.waitForAll()
    }
    return true
  }

  private func look(at order: OutgoingOrder, _ endsWithoutHelp: Bool) async throws {
    do {
      if order.state == .waiting { _ = try await sender.send(order.name) } else { _ = try await sender.resolve(order) }
    } catch let failure as PaymentFailure
      where endsWithoutHelp && [.needsSignIn, .untrusted, .notSetUp, .otherParty].contains(failure)
    {
      throw failure
    } catch let failure as PaymentFailure {
      // It is noted in the store, with when it is to be looked at again.
      tell(failure)
    }
  }
}
