import Foundation

/// Brings payments to the bank, each exactly once.
///
/// Nothing is sent a second time on the word of an idempotency key: a bank may have forgotten it, or know none. What was
/// sent without an answer is unknown until its deadline has passed, after which the bank books it no more; then the bank
/// is asked for it by its reference, and only if it has none is the order sent again, the same bytes with the same key.
struct PaymentSender: Sendable {
  let network: any NetworkManagerProtocol
  let desk: PaymentDesk
  var patience = Patience()
  /// Which bank answers, and for which customer; nil where that is not known.
  var party: @Sendable () async throws -> String? = { nil }
  /// Is told that the bank is not whom ``party`` has said.
  var forgetParty: @Sendable () -> Void = {}
  /// Is told of each answer of the bank's, whatever it says.
  var heard: @Sendable () -> Void = {}

  /// Brings one payment as far as it can be brought now.
  ///
  /// - Throws: ``PaymentFailure``, or what the store says.
  func send(_ name: String) async throws -> Payment {
    let party: String?
    do {
      party = try await partyNow()
    } catch NetworkError.limited(let until) {
      try await desk.wait(name, until: asked(until, otherwise: later))
      throw PaymentFailure.busy
    } catch let error as NetworkError {
      try await desk.wait(name, until: later)
      throw Self.cause(error) ?? (error.isAnswer ? .outOfOrder : .offline)
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
      let dto: PaymentDTO = try await answer {
        try await network.request(
          PaymentEndpoint.createPayment(body: order.body, deadline: deadline, party: party))
      }
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
      let party = try await partyNow()
      if let former = order.party, former != party {
        try await desk.unknown(order, again: Date.now.addingTimeInterval(Self.farPause))
        throw PaymentFailure.otherParty
      }
      let found: Timed<[PaymentDTO]> = try await answer {
        try await network.timedRequest(PaymentEndpoint.findPayments(reference: order.key, party: order.party))
      }
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
      // What may have been booked is asked for each minute at the least, however long the bank asks to wait: a date that is
      // wrong must not keep it unknown.
      try await desk.unknown(order, again: min(max(next, until ?? next), Date.now.addingTimeInterval(Self.farPause)))
      throw PaymentFailure.unknown
    } catch let error as NetworkError {
      try await desk.unknown(order, again: next)
      throw Self.cause(error) ?? .unknown
    }
  }

  /// Which bank answers. That may be known already: it is heard of the bank only if it refuses to say.
  private func partyNow() async throws -> String? {
    do {
      return try await party()
    } catch let error as NetworkError {
      if error.isAnswer { heard() }
      throw error
    }
  }

  /// What the network is asked for, of which it is heard if the bank answers.
  private func answer<Value>(_ ask: () async throws -> Value) async throws -> Value {
    do {
      let value = try await ask()
      heard()
      return value
    } catch let error as NetworkError {
      if error.isAnswer { heard() }
      throw error
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

  private func settle(
    _ order: OutgoingOrder, _ dto: PaymentDTO, notBefore next: Date = .distantPast
  ) async throws -> Payment {
    guard dto.reference == order.key, let payment = try? dto.toDomain() else {
      throw try await puzzle(order, notBefore: next)
    }
    try await desk.made(order.name, payment)
    return payment
  }
}
