import Foundation

/// What came of it, beside what the bank's books say.
struct OnceOutcome: Hashable {
  var asked: Int
  var ledger: Int
  var duplicates: Int
  var lost: Int
  var kills: Int
  var retries: Int
  var unknownResolved: Int
  var unknownLeft: Int
  var bank: String
  var canariesFound: Int

  init(
    count: OutgoingCount, booked: [BankProcess.Booked], drafts: [PaymentDraft], kills: Int, bank: String,
    canariesFound: Int
  ) {
    // By the recipients, each of which is paid once: a payment that was made twice may have another key.
    let times = Dictionary(booked.map { ($0.recipientAccountNumber, 1) }, uniquingKeysWith: +)
    asked = drafts.count
    ledger = booked.count
    duplicates = times.values.reduce(0) { $0 + $1 - 1 }
    lost = drafts.count { times[$0.recipientAccountNumber] == nil }
    self.kills = kills
    retries = count.retries
    unknownResolved = count.unknownResolved
    unknownLeft = count.unknownLeft
    self.bank = bank
    self.canariesFound = canariesFound
  }

  /// Whether each was paid once, and nothing is where it must not be.
  var isGood: Bool { duplicates == 0 && lost == 0 && unknownLeft == 0 && canariesFound == 0 && ledger == asked }

  var line: String {
    """
    {"asked":\(asked),"ledger":\(ledger),"duplicates":\(duplicates),"lost":\(lost),"kills":\(kills),\
    "retries":\(retries),"unknown_resolved":\(unknownResolved),"unknown_left":\(unknownLeft),"bank":"\(bank)",\
    "canaries_found":\(canariesFound)}
    """
  }
}
