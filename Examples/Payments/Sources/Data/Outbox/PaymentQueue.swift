import Foundation
import Synchronization

/// Keeps at the payments that are on their way until each is made or refused.
struct PaymentQueue: Sendable {
  let sender: PaymentSender
  /// How many are under way at a time.
  var width = 4
  /// How long it sleeps at most while something is open.
  var longestPause: TimeInterval = 0.5
  /// How long it sleeps at most while the bank cannot be reached. Nobody says when it can be again.
  var longestOffline: TimeInterval = 5
  /// How it sleeps then, in seconds.
  var sleepOffline: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  /// Is told why a payment is not made yet, each time.
  var tell: @Sendable (PaymentFailure) -> Void = { _ in }

  private var desk: PaymentDesk { sender.desk }

  /// Works until nothing is open.
  ///
  /// - Throws: ``PaymentFailure/needsSignIn``, ``PaymentFailure/untrusted``, ``PaymentFailure/notSetUp`` and
  ///   ``PaymentFailure/otherParty``, where somebody has to help.
  func empty() async throws {
    let reach = Reach()
    var seen = 0
    while try await turn(endsWithoutHelp: true, reach) {
      try Task.checkCancellation()
      let without = reach.turnsWithout
      // Not after a turn in which nothing was due.
      if without > seen {
        let pause = sender.patience.again * Double((1 << min(without, 10)) - 1)
        try await sleepOffline(min(longestOffline, pause))
      }
      seen = without
    }
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
  private func turn(endsWithoutHelp: Bool = false, _ reach: Reach? = nil) async throws -> Bool {
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
        tasks.addTask { try await look(at: order, endsWithoutHelp, reach) }
      }
      try await tasks.waitForAll()
    }
    reach?.endTurn()
    return true
  }

  private func look(at order: OutgoingOrder, _ endsWithoutHelp: Bool, _ reach: Reach?) async throws {
    do {
      if order.state == .waiting { _ = try await sender.send(order.name) } else { _ = try await sender.resolve(order) }
      reach?.noteAnswer()
    } catch let failure as PaymentFailure
      where endsWithoutHelp && [.needsSignIn, .untrusted, .notSetUp, .otherParty].contains(failure)
    {
      throw failure
    } catch let failure as PaymentFailure {
      if failure != .offline, failure != .unknown { reach?.noteAnswer() }
      // It is noted in the store, with when it is to be looked at again.
      tell(failure)
    }
  }
}

/// For how long nothing was heard of the bank, in turns in which no attempt had an answer.
private final class Reach: Sendable {
  private struct State {
    var wasReached = false
    var turnsWithout = 0
  }

  private let state = Mutex(State())

  var turnsWithout: Int { state.withLock { $0.turnsWithout } }

  func noteAnswer() { state.withLock { $0.wasReached = true } }

  func endTurn() {
    state.withLock { state in
      state.turnsWithout = state.wasReached ? 0 : state.turnsWithout + 1
      state.wasReached = false
    }
  }
}
