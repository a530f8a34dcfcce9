import Foundation
import Testing

@testable import payments

/// The program itself, its bank, and a line that fails, with a bank of each kind.
@Suite struct OnceTests {
  @Test(arguments: [UInt64](1...3))
  func eachPaymentIsMadeOnce(_ seed: UInt64) async throws {
    let outcome = try await Once(seed: seed, store: nil).outcome()
    #expect(outcome.isGood, "\(outcome.line)")
    #expect(outcome.kills >= Once.kills && outcome.unknownResolved > 0 && outcome.retries > 0)
  }

  @Test func theLineSaysIt() {
    let count = OutgoingCount(asked: 2, made: 2, retries: 3, unknownResolved: 1)
    let booked = ["a", "b", "b"].map { BankProcess.Booked(reference: $0, recipientAccountNumber: $0, status: "") }
    let drafts = ["a", "b", "c"].map { account in
      PaymentDraft(
        name: account, accountId: "", recipientName: "", recipientAccountNumber: account, amount: 1, currency: "EUR")
    }
    let outcome = OnceOutcome(
      count: count, booked: booked, drafts: drafts, kills: 20, bank: "none", canariesFound: 0)
    #expect(
      outcome.line == #"{"asked":3,"ledger":3,"duplicates":1,"lost":1,"kills":20,"retries":3,"unknown_resolved":1,"#
        + #""unknown_left":0,"bank":"none","canaries_found":0}"#)
    #expect(!outcome.isGood)
  }
}
