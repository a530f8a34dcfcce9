import ExampleSupport
import Foundation

/// The payments that the bank has booked.
@MainActor
enum PaymentTemplate {
  static func list(_ payments: [Payment]) -> HTML {
    guard !payments.isEmpty else { return "<p class=\"quiet\">None yet. What you pay is listed here.</p>" }
    return "<ul>\(payments.map(item).joined())</ul>"
  }

  static func item(_ payment: Payment) -> HTML {
    let description: HTML = payment.description.map { "<p class=\"quiet\">\($0)</p>" } ?? ""
    return """
      <li class="payment" data-key="\(payment.id)"><div class="who"><b>\(payment.recipientName)</b>\
      \(number(payment.recipientAccountNumber))</div>\
      <p class="amount">\(Formats.amount(payment.amount, payment.currency))</p>\(description)\
      <p class="state \(payment.status.rawValue)">\(words(payment))</p>\(cancel(payment))</li>
      """
  }

  /// An account number of which a stranger who looks over one's shoulder has nothing.
  static func number(_ accountNumber: String) -> HTML {
    let digits = Formats.lastDigits(accountNumber)
    return """
      <span class="number"><span aria-hidden="true">•••• \(digits)</span>\
      <span class="hidden">account ending in \(digits)</span></span>
      """
  }

  static func words(_ payment: Payment) -> HTML {
    let ended: HTML = payment.completedAt.map { " \(StatusTemplate.time($0))" } ?? ""
    return switch payment.status {
    case .pending: "Made \(StatusTemplate.time(payment.createdAt)), and not carried out yet"
    case .completed: "Carried out\(ended)"
    case .cancelled: "Cancelled\(ended)"
    case .failed: "Failed at the bank"
    }
  }

  private static func cancel(_ payment: Payment) -> HTML {
    guard payment.status == .pending else { return "" }
    return """
      <form method="post" action="/cancel" data-form="cancel"><input type="hidden" name="id" value="\(payment.id)">\
      <button id="cancel-\(payment.id)" aria-label="Cancel the payment to \(payment.recipientName)">Cancel</button></form>
      """
  }
}
