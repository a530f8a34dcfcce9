/// Why an order is not carried out. The sentence is for the person who gave it, and names no account and no amount.
enum LedgerError: String, Error, Sendable, CaseIterable {
  case unknownAccount = "unknown-account"
  case invalidAmount = "invalid-amount"
  case wrongCurrency = "wrong-currency"
  case noRecipient = "no-recipient"
  case insufficientFunds = "insufficient-funds"
  case keyOfAnother = "key-of-another-payment"
  case tooLate = "too-late"
  case otherParty = "other-party"
  case notCancellable = "not-cancellable"

  var title: String {
    switch self {
    case .unknownAccount: "The account is not one of yours."
    case .invalidAmount: "The amount must be more than nothing, with at most two digits after the point."
    case .wrongCurrency: "The account is kept in another currency."
    case .noRecipient: "The recipient has no name or no account number."
    case .insufficientFunds: "There is not enough on the account."
    case .keyOfAnother: "The idempotency key belongs to another payment."
    case .tooLate: "The order came after the time until which it was good."
    case .otherParty: "This is another bank, or another customer, than the request is for."
    case .notCancellable: "The payment is carried out already."
    }
  }

  var status: Int {
    switch self {
    case .tooLate, .otherParty, .notCancellable: 409
    default: 422
    }
  }
}
