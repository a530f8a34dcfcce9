import Foundation

extension PaymentSender {
  /// How the types of the bank's own refusals begin (RFC 9457).
  private static let bankProblem = "urn:bank:"
  /// That of an order that came after its deadline.
  private static let tooLate = bankProblem + "too-late"
  /// That of a request that is for another bank, or another customer.
  private static let otherParty = bankProblem + "other-party"
  /// Why an order waits whose clocks disagree.
  private static let clocks =
    "By the bank's clock it came too late, and by this machine's in time: one of the two is wrong."

  /// Why nothing can be asked, where somebody has to do something about it.
  static func cause(_ error: NetworkError) -> PaymentFailure? {
    switch error {
    case .unauthorized: .needsSignIn
    case .noCredentials(let reason, isLasting: true): .secretsUnusable(reason ?? "")
    case .noCredentials(let reason, isLasting: false): .noCredentials(reason)
    case .untrusted: .untrusted
    case .notSetUp: .notSetUp
    case .httpError(_, _, otherParty): .otherParty
    default: nil
    }
  }

  /// The bank has answered, and what it says is of another order, or cannot be read. It will hardly say something else a
  /// moment later, so it is asked less and less often.
  func puzzle(_ order: OutgoingOrder, notBefore next: Date = .distantPast) async throws -> PaymentFailure {
    let again = max(next, backOff(order.puzzles + 1, longest: Self.farPause))
    try await desk.unknown(order, again: again, isPuzzle: true)
    return .unknown
  }

  /// What an attempt that failed means.
  func note(_ error: NetworkError, _ order: OutgoingOrder) async throws -> PaymentFailure {
    switch error {
    case .httpError(_, let reason, let type) where type?.hasPrefix(Self.bankProblem) == true:
      if type == Self.tooLate {
        if let deadline = order.deadline, Date.now < deadline {
          try await desk.notDone(order, again: backOff(order.attempts), reason: Self.clocks)
          return .clocksDisagree
        }
        // It took its time on the line.
        try await desk.notDone(order, again: later)
        return .offline
      }
      if type == Self.otherParty {
        forgetParty()
        // It was never sent before, and this bank has not done it: for whom it is is asked again.
        if order.attempts == 1 {
          try await desk.notDone(order, again: later, forgetsParty: true)
          return .outOfOrder
        }
        try await desk.notDone(order, again: Date.now.addingTimeInterval(Self.farPause))
        return .otherParty
      }
      let words = ForeignText.reason(reason ?? "\(error)")
      try await desk.rejected(order, words)
      return .rejected(words)
    case .limited(let until):
      try await desk.notDone(
        order, again: asked(until, otherwise: backOff(order.attempts)))
      return .busy
    case .unauthorized:
      try await desk.notDone(order, again: later)
      return .needsSignIn
    case .noCredentials:
      try await desk.notDone(order, again: later)
      return Self.cause(error) ?? .noCredentials(nil)
    // Neither the bank nor the order has anything to do with a setting that is wrong: set right, it sends the same.
    case .untrusted:
      try await desk.notDone(order, again: backOff(order.attempts))
      return .untrusted
    case .notSetUp, .invalidURL:
      try await desk.notDone(order, again: backOff(order.attempts))
      return .notSetUp
    case .notSent:
      try await desk.notDone(order, again: later)
      return .offline
    // What the bank has not said itself, of this order, says nothing: the status may be that of a proxy, or of a login page.
    default:
      try await desk.unknown(order, again: (order.deadline ?? .now).addingTimeInterval(patience.clocks))
      return .unknown
    }
  }
}
