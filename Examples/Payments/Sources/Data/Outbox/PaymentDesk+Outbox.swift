import Foundation
import SwiftData

extension PaymentDesk: PaymentOutbox {
  func take(_ draft: PaymentDraft) throws -> PaymentTaking {
    let order = try accept(draft)
    // The bytes are those of the order that was there first, if there was one.
    let body = try JSONEncoder.standardEncoder.encode(CreatePaymentRequest(from: draft, idempotencyKey: order.key))
    return body == order.body ? .kept : .nameIsTaken
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
