import Foundation

/// Why a payment is not made, or not yet.
enum PaymentFailure: Error, Sendable, Hashable {
  /// The bank was not reached. Nothing was paid; it is sent when the bank can be reached.
  case offline
  /// The bank has not got it: it was lost on its way. Nothing was paid; it is sent again.
  case lostOnTheWay
  /// Whoever answered is not the bank. Nothing was sent; it is kept, and tried again.
  case untrusted
  /// It was sent to another bank, or for another customer. It is kept until it can be looked for there.
  case otherParty
  /// The way to the bank is not set up as it must be. Nothing was sent; it is kept.
  case notSetUp
  /// The bank asks to wait. Nothing was paid; it is sent after that.
  case busy
  /// The bank refuses it, for this reason. It is not sent again.
  case rejected(String)
  /// The bank says that it came too late, when by this machine's clock it was in time. Nothing was paid; it is sent again.
  case clocksDisagree
  /// It may have been paid. The bank is asked before anything else is done.
  case unknown
  /// Nobody is signed in. It is kept until somebody is.
  case needsSignIn
  /// What signs in cannot be had just now, for this reason. It is kept, and tried again.
  case noCredentials(String?)
  /// What signs in cannot be had by what there is to open it with. It is kept until somebody has mended that.
  case secretsUnusable(String)
  /// The bank has a problem of its own. Nothing was sent; it is sent when that is over.
  case outOfOrder

  /// Whether waiting alone does not help.
  var needsHelp: Bool {
    switch self {
    case .needsSignIn, .untrusted, .notSetUp, .otherParty, .secretsUnusable: true
    default: false
    }
  }
}

extension PaymentFailure: LocalizedError, CustomStringConvertible {
  /// A sentence without any account, amount or key.
  var description: String {
    switch self {
    case .offline: "The bank cannot be reached. Nothing was paid yet; it is sent as soon as the bank can be reached."
    case .lostOnTheWay: "The bank has not got it: it was lost on its way. Nothing was paid yet; it is sent again."
    case .untrusted:
      "Whoever answers at the bank's address is not the bank. Nothing was sent. Do not go on from this network. See that this machine's clock is right; if it is the "
        + "bank, its new key's pin is missing (PAYMENTS_PINS), or its authority is (PAYMENTS_AUTHORITY)."
    case .otherParty:
      "It was sent to another bank, or for another customer, and may have been paid there. It is looked for only there: give "
        + "that bank's address, sign in as that customer, or use another store for this one."
    case .notSetUp:
      "The way to the bank is not set up as it must be: see its address, its pins and its authority. Nothing was sent; it is "
        + "kept."
    case .busy: "The bank asks to wait. Nothing was paid yet; it is sent after that."
    case .clocksDisagree:
      "By the bank's clock it came too late, and by this machine's in time: one of the two is wrong. Nothing was paid yet; "
        + "set this machine's clock, if it is that one. It is tried again after a while."
    case .rejected(let reason): "The bank refused it: \(reason)"
    case .unknown: "The bank's answer was lost. It may have been paid; the bank is asked before anything else is done."
    case .noCredentials(let reason):
      "What signs in to the bank cannot be had from the secret store\(reason.map { ": " + $0 } ?? ""). It is kept, and tried "
        + "again."
    case .secretsUnusable(let reason):
      "What signs in to the bank cannot be had. \(reason) What you want to pay is kept."
    case .outOfOrder: "The bank has a problem of its own. Nothing was paid yet; it is sent when that is over."
    case .needsSignIn: "Sign in to the bank again. What you want to pay is kept."
    }
  }

  var errorDescription: String? { description }
}
