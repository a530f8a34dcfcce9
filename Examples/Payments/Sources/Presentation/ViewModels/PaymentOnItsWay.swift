import Foundation

/// A payment on its way, as it is shown.
struct PaymentOnItsWay: Hashable, Sendable {
  /// Where it is.
  enum Stage: Hashable, Sendable {
    case waiting(wasTried: Bool)
    /// Something is in the way that somebody may have to mend.
    case kept(String, again: Date)
    case sending
    /// The answer was lost; the bank is asked then.
    case lost(askedAt: Date)
    case made
    case refused(String)
  }

  var name: String
  var recipientName: String
  var accountNumber: String
  var amount: Decimal?
  var currency: String
  var stage: Stage
}

extension PaymentOnItsWay {
  init(_ payment: OutgoingPayment) {
    // What is paid stands in the bytes that are sent, and nowhere else.
    let request = try? JSONDecoder.standardDecoder.decode(CreatePaymentRequest.self, from: payment.body)
    name = payment.name
    recipientName = request?.recipientName ?? ""
    accountNumber = request?.recipientAccountNumber ?? ""
    amount = request.flatMap { Decimal(string: $0.amount) }
    currency = request?.currency ?? ""
    stage = Stage(payment)
  }
}

extension PaymentOnItsWay.Stage {
  fileprivate init(_ payment: OutgoingPayment) {
    switch payment.state {
    case .waiting:
      self = payment.reason.map { .kept($0, again: payment.notBefore) } ?? .waiting(wasTried: payment.attempts > 0)
    case .made: self = .made
    case .rejected: self = .refused(payment.reason ?? "It gave no reason.")
    case .sent: self = payment.isUnknown ? .lost(askedAt: payment.notBefore) : .sending
    }
  }
}
