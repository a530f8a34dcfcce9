import Foundation
import LarderHTTP

/// Brings payments to the bank, each exactly once.
///
/// Nothing is sent a second time on the word of an idempotency key: a bank may have forgotten it, or know none. What was
/// sent without an answer is unknown until its deadline has passed, after which the bank books it no more; then the bank
/// is asked for it by its reference, and only if it has none is the order sent again, the same bytes with the same key.
struct PaymentSender: Sendable {
  /// The times between things.
  struct Patience: Sendable {
    /// How long an order is good.
    var order: TimeInterval = 10
    /// How much later than the deadline the bank is asked. Its clock may be behind by more: it says what it shows.
    var clocks: TimeInterval = 1
    /// Before something is tried again that the bank has surely not done.
    var again: TimeInterval = 1

    /// When something is to be looked at that was noted for a time. Nothing waits for longer than the longest that there
    /// is to wait: the clock was ahead when it was noted, and was set back since.
    func time(_ noted: Date, of state: OutgoingState, now: Date) -> Date {
      // A bank asks to wait before it takes an order, not once it may have taken it.
      let longest = max(order + clocks, again, state == .sent ? PaymentSender.farPause : PaymentSender.longestWait)
      return noted > now.addingTimeInterval(longest) ? now : noted
    }
  }

  let network: any NetworkManagerProtocol
  let desk: PaymentDesk
  var patience = Patience()
  /// Which bank answers, and for which customer; nil where that is not known.
  var party: @Sendable () async throws -> String? = { nil }

  /// Brings one payment as far as it can be brought now.
  ///
  /// - Throws: ``PaymentFailure``, or what the store says.
  func send(_ name: String) async throws -> Payment {
    let party: String?
    do {
      party = try await self.party()
    } catch let error as NetworkError {
      try await desk.wait(name, until: later)
      throw Self.cause(error) ?? .offline
    }
    let deadline = Date.now.addingTimeInterval(patience.order)
    let begun: OutgoingOrder?
    do {
      begun = try await desk.begin(name, deadline: deadline, party: party)
    } catch PaymentFailure.otherParty {
      try await desk.wait(name, until: Date.now.addingTimeInterval(Self.farPause))
      throw PaymentFailure.otherParty
    }
    guard let order = begun else { throw PaymentFailure.unknown }
    do {
      let dto: PaymentDTO = try await network.request(
        PaymentEndpoint.createPayment(body: order.body, deadline: deadline, party: party))
      return try await settle(order, dto)
    } catch let error as NetworkError {
      throw try await note(error, order)
    }
  }

  /// Asks the bank what became of a payment that was sent, once it can be relied upon that nothing comes of it later.
  func resolve(_ order: OutgoingOrder) async throws -> Payment {
    let deadline = order.deadline ?? .distantPast
    let reliable = deadline.addingTimeInterval(patience.clocks)
    let wait = reliable.timeIntervalSinceNow
    // No order is good for longer. The clock was ahead when this one was sent, and until then the bank may book it: to ask
    // it each minute finds what it has; what it has not is only believed later.
    let isFarOff = wait > patience.order + patience.clocks
    guard wait < 0 || isFarOff else {
      try await desk.unknown(order, again: reliable)
      throw PaymentFailure.unknown
    }
    let next = Date.now.addingTimeInterval(isFarOff ? Self.farPause : patience.again)
    do {
      // Another bank, or the same one for another customer, says honestly that it has none: nothing follows from that.
      let party = try await self.party()
      if let former = order.party, former != party {
        try await desk.unknown(order, again: Date.now.addingTimeInterval(Self.farPause))
        throw PaymentFailure.otherParty
      }
      let found: Timed<[PaymentDTO]> = try await network.timedRequest(
        PaymentEndpoint.findPayments(reference: order.key, party: order.party))
      if let dto = found.value.first(where: { $0.reference == order.key }) {
        return try await settle(order, dto, notBefore: next)
      }
      // It is the bank's clock by which an order is too late; of one that does not say what it shows, `patience.clocks` is
      // believed to be enough. And a list of others says nothing of this one.
      guard found.value.isEmpty else { throw try await puzzle(order, notBefore: next) }
      guard believed(found.time, deadline).map({ $0 > deadline }) ?? (wait < 0) else {
        try await desk.unknown(order, again: next)
        throw PaymentFailure.unknown
      }
      try await desk.notDone(order, again: .now)
      throw PaymentFailure.lostOnTheWay
    } catch NetworkError.decodingError {
      throw try await puzzle(order, notBefore: next)
    } catch NetworkError.limited(let until) {
      // It is asked less often for it, and not forgotten.
      try await desk.unknown(order, again: min(max(next, until ?? next), Date.now.addingTimeInterval(Self.farPause)))
      throw PaymentFailure.unknown
    } catch let error as NetworkError {
      try await desk.unknown(order, again: next)
      throw Self.cause(error) ?? .unknown
    }
  }

  /// Why nothing can be asked, where somebody has to do something about it.
  private static func cause(_ error: NetworkError) -> PaymentFailure? {
    switch error {
    case .unauthorized: .needsSignIn
    case .noCredentials: .noCredentials
    case .untrusted: .untrusted
    case .notSetUp: .notSetUp
    case .httpError(_, _, otherParty): .otherParty
    default: nil
    }
  }

  /// A day: by how much the bank's clock may be ahead of this machine's, in seconds.
  private static let farthestAhead = 86_400.0

  /// What the bank's clock shows, unless that is far ahead, by which each deadline would have passed. What is behind is
  /// believed, however far: it only has somebody wait. This machine's clock was as late as the deadline says, whatever it
  /// shows now.
  private func believed(_ time: Date?, _ deadline: Date) -> Date? {
    let latest = max(.now, deadline.addingTimeInterval(-patience.order)).addingTimeInterval(Self.farthestAhead)
    return time.flatMap { $0 <= latest ? $0 : nil }
  }

  /// How the types of the bank's own refusals begin (RFC 9457).
  private static let bankProblem = "urn:bank:"
  /// That of an order that came after its deadline.
  private static let tooLate = bankProblem + "too-late"
  /// That of a request that is for another bank, or another customer.
  private static let otherParty = bankProblem + "other-party"
  /// The longest that is waited because the bank asks for it, in seconds.
  fileprivate static let longestWait = 3_600.0
  /// A minute: between two questions for an order whose deadline is far off, or of which the bank says nothing that can be
  /// read. The longest that one waits which may have been booked.
  static let farPause = 60.0
  /// Five minutes: the longest between two attempts while the clocks disagree, which somebody has to mend.
  static let longestBackOff = 300.0

  /// Why an order waits whose clocks disagree.
  private static let clocks =
    "By the bank's clock it came too late, and by this machine's in time: one of the two is wrong."

  /// Twice as long after each attempt.
  private func backOff(_ attempts: Int, longest: TimeInterval = Self.longestBackOff) -> Date {
    let wait = patience.again * Double(1 << min(max(0, attempts - 1), 20))
    return Date.now.addingTimeInterval(min(wait, longest))
  }

  /// The bank has answered, and what it says is of another order, or cannot be read. It will hardly say something else a
  /// moment later, so it is asked less and less often.
  private func puzzle(_ order: OutgoingOrder, notBefore next: Date = .distantPast) async throws -> PaymentFailure {
    let again = max(next, backOff(order.puzzles + 1, longest: Self.farPause))
    try await desk.unknown(order, again: again, isPuzzle: true)
    return .unknown
  }

  private var later: Date { Date.now.addingTimeInterval(patience.again) }

  private func settle(
    _ order: OutgoingOrder, _ dto: PaymentDTO, notBefore next: Date = .distantPast
  ) async throws -> Payment {
    guard dto.reference == order.key, let payment = try? dto.toDomain() else {
      throw try await puzzle(order, notBefore: next)
    }
    try await desk.made(order.name, payment)
    return payment
  }

  /// What an attempt that failed means.
  private func note(_ error: NetworkError, _ order: OutgoingOrder) async throws -> PaymentFailure {
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
        try await desk.notDone(order, again: Date.now.addingTimeInterval(Self.farPause))
        return .otherParty
      }
      let words = ForeignText.reason(reason ?? "\(error)")
      try await desk.rejected(order, words)
      return .rejected(words)
    case .invalidURL:
      try await desk.rejected(order, "\(error)")
      return .rejected("\(error)")
    case .limited(let until):
      try await desk.notDone(
        order, again: min(until ?? backOff(order.attempts), Date.now.addingTimeInterval(Self.longestWait)))
      return .busy
    case .unauthorized:
      try await desk.notDone(order, again: later)
      return .needsSignIn
    case .noCredentials:
      try await desk.notDone(order, again: later)
      return .noCredentials
    // Neither the bank nor the order has anything to do with a setting that is wrong: set right, it sends the same.
    case .untrusted:
      try await desk.notDone(order, again: backOff(order.attempts))
      return .untrusted
    case .notSetUp:
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
