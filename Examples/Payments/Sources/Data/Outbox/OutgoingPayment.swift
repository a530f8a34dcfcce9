import Foundation
import SwiftData

/// A payment on its way to the bank: its key and its bytes are made and stored before the first of them is sent, and are
/// the same with each attempt, whoever makes it.
@Model
final class OutgoingPayment {
  /// What whoever asked calls it.
  @Attribute(.unique) var name: String
  /// By which the bank knows it, and by which it can be found there.
  @Attribute(.unique) var key: String
  var body: Data
  var state: OutgoingState
  /// To which bank, and for which customer, it was sent first; nil while it was not, or where that is not known.
  var party: String?
  /// Until when the bank may book what was sent last.
  var deadline: Date?
  /// Before this it is left alone.
  var notBefore: Date
  var attempts: Int
  /// Whether its outcome was ever unknown.
  var wasUnknown: Bool
  /// Whether that of the last attempt is.
  var isUnknown = false
  /// How often the bank has answered of the last attempt what says nothing of it.
  var puzzles = 0
  /// Why the bank refused it; of one that waits, what keeps it.
  var reason: String?
  /// Whether somebody has seen that it was refused, and wants to see it no more.
  var isPutAway = false
  var askedAt: Date

  init(_ draft: PaymentDraft, key: String, body: Data, at now: Date = .now) {
    name = draft.name.precomposedStringWithCanonicalMapping
    self.key = key
    self.body = body
    state = .waiting
    notBefore = now
    attempts = 0
    wasUnknown = false
    askedAt = now
  }
}

extension OutgoingPayment {
  /// Those that are neither made nor refused.
  static var open: Predicate<OutgoingPayment> {
    let (waiting, sent) = (OutgoingState.waiting, OutgoingState.sent)
    return #Predicate { $0.state == waiting || $0.state == sent }
  }

  /// Those that the bank has refused, and that nobody has put away.
  static var refused: Predicate<OutgoingPayment> {
    let rejected = OutgoingState.rejected
    return #Predicate { $0.state == rejected && !$0.isPutAway }
  }
}

/// Where a payment is on its way.
enum OutgoingState: String, Codable, Sendable, CaseIterable {
  /// The bank has surely not booked it, and will not book what was sent of it.
  case waiting
  /// Some of it may have been sent; the bank may book it, or has, or never will.
  case sent
  /// The bank has booked it.
  case made
  /// The bank refuses it.
  case rejected
}

/// What a sender needs to know of a payment.
struct OutgoingOrder: Sendable, Hashable {
  var name: String
  var key: String
  var body: Data
  var state: OutgoingState
  var party: String?
  var deadline: Date?
  var attempts: Int
  var puzzles: Int
  var reason: String?
}
