import Foundation

/// A payment on its way, as it is shown.
struct PaymentOnItsWay: Hashable, Sendable {
  /// Where it is.
  enum Stage: Hashable, Sendable {
    case waiting(wasTried: Bool)
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
    case .waiting: self = .waiting(wasTried: payment.attempts > 0)
    case .made: self = .made
    case .rejected: self = .refused(payment.reason ?? "It gave no reason.")
    case .sent:
      // An attempt has its deadline before it is begun; when it has no answer, something is to be done after that.
      let isLost = payment.deadline.map { payment.notBefore > $0 } ?? payment.wasUnknown
      self = isLost ? .lost(askedAt: payment.notBefore) : .sending
    }
  }
}
