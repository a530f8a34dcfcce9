import Foundation
import Synchronization

/// Keeps at the payments that are on their way until each is made or refused.
struct PaymentQueue: Sendable {
  let sender: PaymentSender
  /// How many are under way at a time.
  var width = 4
  /// How long it sleeps at most while something is open.
  var longestPause: TimeInterval = 0.5
  /// How long it sleeps at most while nothing is heard of the bank. Nobody says when it can be reached again.
  var longestSilence: TimeInterval = 5
  /// How it sleeps then, in seconds.
  var sleepInSilence: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  /// Is told until when nothing can be done, where that is so.
  var waits: @Sendable (Date) -> Void = { _ in }
  /// Is told why a payment is not made yet, each time.
  var tell: @Sendable (PaymentFailure) -> Void = { _ in }

  private var desk: PaymentDesk { sender.desk }

  /// What came of looking once.
  private enum Turn {
    /// Nothing is open.
    case over
    /// Nothing was due.
    case idle
    /// Some was, and the bank has answered to it, or has not.
    case looked(isHeard: Bool)
  }

  /// Works until nothing is open. While nothing is heard of the bank it looks less and less often.
  ///
  /// - Throws: The ``PaymentFailure`` where somebody has to help (``PaymentFailure/needsHelp``).
  func empty() async throws {
    var silent = 0
    while true {
      switch try await turn(endsWithoutHelp: true) {
      case .over: return
      case .idle: break
      case .looked(isHeard: true): silent = 0
      case .looked(isHeard: false):
        silent = min(silent + 1, 10)
        try await sleepInSilence(min(longestSilence, sender.patience.again * Double((1 << silent) - 1)))
      }
      try Task.checkCancellation()
    }
  }

  /// Works for as long as it is not cancelled.
  func run() async throws {
    while !Task.isCancelled {
      if case .over = try await turn() { try await Task.sleep(for: .seconds(longestPause)) }
    }
  }

  /// Looks at each open payment once whose time has come.
  private func turn(endsWithoutHelp: Bool = false) async throws -> Turn {
    let now = Date.now
    let patience = sender.patience
    let open = try await desk.open().map { order, at in
      (order: order, at: patience.time(at, of: order.state, now: now))
    }
    guard let first = open.map(\.at).min() else { return .over }
    let due = open.filter { $0.at <= now }.map(\.order)
    if due.isEmpty {
      waits(first)
      try await Task.sleep(for: .seconds(min(longestPause, max(0.001, first.timeIntervalSince(now)))))
      return .idle
    }
    let hearing = Hearing()
    var attentive = sender
    attentive.heard = { hearing.note() }
    try await withThrowingTaskGroup(of: Void.self) { [attentive] tasks in
      for (place, order) in due.enumerated() {
        if place >= width { try await tasks.next() }
        tasks.addTask { try await look(at: order, by: attentive, endsWithoutHelp) }
      }
      try await tasks.waitForAll()
    }
    return .looked(isHeard: hearing.isHeard)
  }

  private func look(at order: OutgoingOrder, by sender: PaymentSender, _ endsWithoutHelp: Bool) async throws {
    do {
      if order.state == .waiting { _ = try await sender.send(order.name) } else { _ = try await sender.resolve(order) }
    } catch let failure as PaymentFailure where endsWithoutHelp && failure.needsHelp {
      throw failure
    } catch let failure as PaymentFailure {
      // It is noted in the store, with when it is to be looked at again.
      tell(failure)
    }
  }
}

/// Whether the bank was heard of. Safe to use from any thread.
private final class Hearing: Sendable {
  private let state = Atomic(false)
  var isHeard: Bool { state.load(ordering: .relaxed) }
  func note() { state.store(true, ordering: .relaxed) }
}
