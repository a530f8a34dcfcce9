import Foundation
import SwiftData

extension PaymentDesk: PaymentOutbox {
  func take(_ draft: PaymentDraft) throws -> PaymentTaking {
    // The bytes are those of the order that was there first, if there was one.
    try accept(draft).isOf(draft) ? .kept : .nameIsTaken
  }

  /// Whether there is an order of this name already, with something else in it.
  func isTaken(_ draft: PaymentDraft) throws -> Bool {
    guard let known = try order(draft.name) else { return false }
    return try !known.isOf(draft)
  }

  func putAway(_ name: String) throws {
    try step(name) { if $0.state == .rejected { $0.isPutAway = true } }
  }

  func hurry(within wait: TimeInterval) throws {
    let now = Date.now
    let latest = now.addingTimeInterval(wait)
    for name in try open().filter({ $0.order.state == .waiting && $0.at > now && $0.at <= latest }).map(\.order.name) {
      try step(name) { if $0.state == .waiting { $0.notBefore = now } }
    }
  }
}

extension OutgoingOrder {
  /// Whether it asks for what a draft does.
  fileprivate func isOf(_ draft: PaymentDraft) throws -> Bool {
    try JSONEncoder.standardEncoder.encode(CreatePaymentRequest(from: draft, idempotencyKey: key)) == body
  }
}
