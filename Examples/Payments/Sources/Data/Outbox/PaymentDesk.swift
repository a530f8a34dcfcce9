import Foundation
import SwiftData

/// The payments on their way, in the store. Each step is saved before the next thing is done.
///
/// What is noted of an attempt counts only while that is the last one: its answer may come when the bank has been asked
/// already, and another attempt is under way. Two programs on one store do not both make an attempt: of two that note one
/// at once, one is refused, and looks anew.
@ModelActor
actor PaymentDesk {
  /// Takes an order: from here on it is not lost. An order that it has is the one that it had.
  func accept(_ draft: PaymentDraft) throws -> OutgoingOrder {
    if let known = try find(draft.name) { return known.order }
    modelContext.mergePolicy = .error
    let key = UUID().uuidString
    let body = try JSONEncoder.standardEncoder.encode(CreatePaymentRequest(from: draft, idempotencyKey: key))
    return try modelContext.saving {
      let payment = OutgoingPayment(draft, key: key, body: body)
      modelContext.insert(payment)
      return payment.order
    }
  }

  /// Notes that an attempt is about to be made, before the first byte of it is sent.
  ///
  /// - Parameter party: Where it is sent to; nil where that is not known.
  /// - Returns: What to send; nil where somebody else is at it, or it is over.
  /// - Throws: ``PaymentFailure/otherParty``, where it was sent to another one before.
  func begin(_ name: String, deadline: Date, party: String? = nil) throws -> OutgoingOrder? {
    try step(name) { payment in
      guard payment.state == .waiting else { return nil }
      if let former = payment.party, former != party { throw PaymentFailure.otherParty }
      payment.party = party
      payment.state = .sent
      payment.isUnknown = false
      payment.puzzles = 0
      payment.reason = nil
      payment.deadline = deadline
      payment.attempts += 1
      return payment.order
    }
  }

  /// The bank has booked it: the payment is in the store, and the order is over, in one.
  func made(_ name: String, _ booked: Payment) throws {
    try step(name) { payment in
      try modelContext.store(booked)
      // Whatever else has become of it: it is booked.
      payment.state = .made
    }
  }

  /// The bank refuses it.
  func rejected(_ order: OutgoingOrder, _ reason: String) throws {
    try change(order) { payment in
      payment.state = .rejected
      payment.reason = reason
    }
  }

  /// It is surely not booked, and may be sent again after a while.
  ///
  /// - Parameters:
  ///   - reason: What keeps it, where that is for people to know.
  ///   - forgetsParty: Whether it may be sent to another one than the last time.
  func notDone(_ order: OutgoingOrder, again: Date, reason: String? = nil, forgetsParty: Bool = false) throws {
    try change(order) { payment in
      if forgetsParty { payment.party = nil }
      payment.state = .waiting
      payment.isUnknown = false
      payment.reason = reason
      payment.notBefore = again
    }
  }

  /// It cannot be sent now, and was not.
  func wait(_ name: String, until again: Date) throws {
    try step(name) { payment in
      if payment.state == .waiting { payment.notBefore = again }
    }
  }

  /// Nobody knows.
  ///
  /// - Parameter isPuzzle: Whether the bank has answered, and not what says anything of it.
  func unknown(_ order: OutgoingOrder, again: Date, isPuzzle: Bool = false) throws {
    try change(order) { payment in
      payment.wasUnknown = true
      payment.isUnknown = true
      payment.notBefore = again
      payment.puzzles = isPuzzle ? payment.puzzles + 1 : 0
    }
  }

  /// At the start of the program: what was sent by one that is gone has no answer any more.
  func begin() throws {
    for order in try outgoing(OutgoingPayment.open).filter({ $0.state == .sent }).map(\.order) {
      try change(order) { payment in
        payment.wasUnknown = true
        // When it can be asked for is seen then, by its deadline.
        payment.notBefore = .distantPast
      }
    }
  }

  /// Those that are not over, the oldest first, with when each is to be looked at.
  func open() throws -> [(order: OutgoingOrder, at: Date)] {
    try outgoing(OutgoingPayment.open).map { ($0.order, $0.notBefore) }
  }

  func order(_ name: String) throws -> OutgoingOrder? { try find(name)?.order }

  /// How things stand.
  func count() throws -> OutgoingCount {
    var count = OutgoingCount()
    for payment in try outgoing() { count.add(payment) }
    return count
  }

  private func outgoing(_ predicate: Predicate<OutgoingPayment>? = nil) throws -> [OutgoingPayment] {
    try modelContext.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.askedAt), SortDescriptor(\.name)]))
  }

  private func find(_ name: String) throws -> OutgoingPayment? {
    // However its letters are composed: a name that looks the same is the same.
    let forms = [name, name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
    return try modelContext.fetch(FetchDescriptor<OutgoingPayment>(predicate: #Predicate { forms.contains($0.name) }))
      .first
  }

  /// What is known of an attempt that is still the last one.
  private func change(_ order: OutgoingOrder, _ body: (OutgoingPayment) -> Void) throws {
    try step(order.name) { payment in
      if payment.state == .sent, payment.attempts == order.attempts { body(payment) }
    }
  }

  /// One step of a payment, saved. Where another program has taken one meanwhile, it is looked at anew.
  private func step<Result>(_ name: String, _ body: (OutgoingPayment) throws -> Result?) throws -> Result? {
    modelContext.mergePolicy = .error
    while true {
      do {
        return try modelContext.saving { try find(name).flatMap(body) }
      } catch let error as SaveError where error.code == .mergeConflict {
        try Task.checkCancellation()
      }
    }
  }

  func step(_ name: String, _ body: (OutgoingPayment) throws -> Void) throws {
    let _: Bool? = try step(name) { payment in
      try body(payment)
      return true
    }
  }
}

/// How many payments are where.
struct OutgoingCount: Codable, Sendable, Hashable {
  var asked = 0
  var made = 0
  var rejected = 0
  var open = 0
  var retries = 0
  var unknownResolved = 0
  var unknownLeft = 0

  fileprivate mutating func add(_ payment: OutgoingPayment) {
    asked += 1
    retries += max(0, payment.attempts - 1)
    switch payment.state {
    case .made: made += 1
    case .rejected: rejected += 1
    case .waiting, .sent: open += 1
    }
    if payment.state == .sent { unknownLeft += 1 } else if payment.wasUnknown { unknownResolved += 1 }
  }
}

extension OutgoingPayment {
  fileprivate var order: OutgoingOrder {
    OutgoingOrder(
      name: name, key: key, body: body, state: state, party: party, deadline: deadline, attempts: attempts,
      puzzles: puzzles, reason: reason)
  }
}
