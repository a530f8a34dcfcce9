import ExampleSupport
import Foundation

/// The payments that are on their way, and those that the bank has refused.
@MainActor
enum WayTemplate {
  /// How many are shown at once; what is more stands behind a word.
  static let most = 5

  static func lists(_ open: [PaymentOnItsWay], refused: [PaymentOnItsWay]) -> HTML {
    section("open", "On their way", open) + section("refused", "Refused by the bank", refused)
  }

  private static func section(_ id: HTML, _ title: HTML, _ payments: [PaymentOnItsWay]) -> HTML {
    guard !payments.isEmpty else { return "" }
    let rest = payments.dropFirst(most)
    let more: HTML =
      rest.isEmpty
      ? ""
      : "<details id=\"\(id)-more\"><summary>\(rest.count) more</summary><ul>\(rest.map(item).joined())</ul></details>"
    return """
      <section class="card" aria-labelledby="\(id)-title"><h2 id="\(id)-title">\(title)</h2>\
      <ul>\(payments.prefix(most).map(item).joined())</ul>\(more)</section>
      """
  }

  static func item(_ payment: PaymentOnItsWay) -> HTML {
    let amount = payment.amount.map { Formats.amount($0, payment.currency) } ?? "?"
    return """
      <li class="payment" data-key="way-\(payment.name)"><div class="who"><b>\(payment.recipientName)</b>\
      \(PaymentTemplate.number(payment.accountNumber))</div><p class="amount">\(amount)</p>\(steps(payment.stage))\
      <p class="state">\(words(payment.stage))</p>\(putAway(payment))</li>
      """
  }

  /// What was refused stays until somebody has seen it.
  private static func putAway(_ payment: PaymentOnItsWay) -> HTML {
    guard case .refused = payment.stage else { return "" }
    return """
      <form method="post" action="/put-away" data-form="put-away">\
      <input type="hidden" name="name" value="\(payment.name)"><button id="put-away-\(payment.name)" \
      aria-label="Put away the refused payment to \(payment.recipientName)">Put away</button></form>
      """
  }

  static func words(_ stage: PaymentOnItsWay.Stage) -> HTML {
    switch stage {
    case .waiting(wasTried: false): "Not sent yet."
    case .waiting(wasTried: true): "Not sent yet: nothing is paid so far. It is tried again by itself."
    case .kept(let reason, let date):
      "\(reason) Nothing is paid so far. It is tried again at \(StatusTemplate.soon(date))."
    case .sending: "Sent; the bank has not answered yet."
    case .lost(let date):
      "The answer was lost: it may be paid, or not. The bank is asked at \(StatusTemplate.soon(date)), before anything else."
    case .made: "Made."
    case .refused(let reason): "\(reason) Nothing was paid."
    }
  }

  private static func steps(_ stage: PaymentOnItsWay.Stage) -> HTML {
    let (names, place, kind): ([HTML], Int, HTML) =
      switch stage {
      case .waiting, .kept: (["Kept", "Sent", "Booked"], 0, "")
      case .sending: (["Kept", "Sent", "Booked"], 1, "")
      case .lost: (["Kept", "Sent", "Booked?"], 2, " unsure")
      case .made: (["Kept", "Sent", "Booked"], 2, "")
      case .refused: (["Kept", "Sent", "Refused"], 2, " bad")
      }
    let items = names.enumerated().map { index, name -> HTML in
      if index == place { return "<li class=\"now\(kind)\" aria-current=\"step\">\(name)</li>" }
      return index < place ? "<li class=\"done\">\(name)</li>" : "<li>\(name)</li>"
    }
    return "<ol class=\"steps\" aria-label=\"Its way\">\(items.joined())</ol>"
  }
}
