import ExampleSupport
import Foundation
import FoundationNetworking
import LarderHTTP
import SwiftData
import Testing

@testable import payments

/// A payment's way through its states, as the page tells it, and what reaches the windows by itself.
@MainActor @Suite struct PageWayTests {
  /// An hour, in seconds: longer than any test takes, however slow the machine is.
  private static let long = 3_600.0

  @Test func paymentWithoutABankIsNotSentYet() async throws {
    let scene = try await PageScene(patience: .init(order: 0.2, clocks: 0.05, again: Self.long))
    scene.bank.failure = .notSent
    try await scene.pay()
    try await scene.until("an attempt") { scene.screen.list.onTheirWay.first?.stage == .waiting(wasTried: true) }
    try await scene.until("the trouble") { !scene.screen.sync.isOnline }
    let html = try await scene.get()
    #expect(html.contains("Offline") && html.contains("The bank cannot be reached."))
    #expect(html.contains("Not sent yet: nothing is paid so far."))
    // An hour is to pass before it is tried again, and yet it is sent as soon as the network is back.
    scene.bank.failure = nil
    scene.controls.connectivity.set(.up)
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    #expect(scene.screen.sync.isOnline && scene.screen.list.onTheirWay.isEmpty)
    #expect(try await scene.get().contains("Online"))
    await scene.end()
  }

  @Test func lostAnswerIsAskedForAtATime() async throws {
    let scene = try await PageScene(patience: .init(order: Self.long, clocks: 1, again: 1))
    scene.bank.failure = .noAnswer
    try await scene.pay()
    var asked: Date?
    try await scene.until("the loss") {
      if case .lost(let date)? = scene.screen.list.onTheirWay.first?.stage { asked = date }
      return asked != nil
    }
    let name = try #require(scene.screen.list.onTheirWay.first?.name)
    let deadline = try #require(try await scene.container.desk.order(name)?.deadline)
    #expect(asked == deadline.addingTimeInterval(1))
    #expect(try await scene.get().contains("The answer was lost: it may be paid, or not. The bank is asked at <time"))
    // To mend the line sends nothing: what is unknown stays so until the bank can be asked.
    scene.bank.failure = nil
    scene.controls.connectivity.set(.up)
    try await scene.until("a sync") { scene.screen.sync.lastSync != nil }
    #expect(scene.bank.orders.count == 1 && scene.screen.list.onTheirWay.count == 1)
    await scene.end()
  }

  @Test func paymentThatASyncBringsIsShownOnce() async throws {
    let scene = try await PageScene(patience: .init(order: Self.long, clocks: 1, again: 1))
    scene.bank.losesAnswers = true
    try await scene.pay()
    try await scene.until("the loss") { try await scene.container.desk.count().unknownLeft == 1 }
    _ = try await scene.post("/sync", [])
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    // The order itself is settled when the bank is asked for it.
    #expect(scene.screen.list.onTheirWay.isEmpty)
    #expect(try await scene.container.desk.open().count == 1)
    #expect(try await !scene.get().contains("The answer was lost"))
    await scene.end()
  }

  @Test func stagesInWords() async throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let words: [(PaymentOnItsWay.Stage, String)] = [
      (.waiting(wasTried: false), "Not sent yet."), (.kept("Wait.", again: date), "Wait. Nothing is paid so far."),
      (.sending, "Sent; the bank has not answered yet."),
      (.lost(askedAt: date), "Booked?"), (.made, "Made."), (.refused("No."), "No. Nothing was paid."),
    ]
    for (stage, expected) in words {
      let payment = PaymentOnItsWay(
        name: "n", recipientName: "Ada", accountNumber: "DE1234567", amount: 1, currency: "EUR", stage: stage)
      let html = WayTemplate.item(payment).text
      #expect(html.contains(expected), "\(expected)")
      #expect(html.contains("•••• 4567") && !html.contains("DE1234567"))
    }
    #expect(Formats.time(date, in: .gmt) == "08:00:00")
  }

  @Test func windowsAreToldOfWhatChangedAndOfNothingElse() async throws {
    let scene = try await PageScene(isRunning: false, isPushing: true)
    let screen = scene.screen
    try await scene.until("the first drawing") { screen.drawings == 1 }
    #expect(screen.events.sent == 1)
    // In one turn: it has to be drawn anew, and is as it was.
    _ = screen.demo.setLine(cut: true)
    _ = screen.demo.setLine(cut: false)
    try await scene.until("a drawing") { screen.drawings == 2 }
    #expect(screen.events.sent == 1)
    // By somebody who knows nothing of the screen.
    try await scene.container.paymentDAO.save(PageMade.payment("p-77"))
    try await scene.until("an event") { screen.events.sent > 1 }
    #expect(screen.list.payments.map(\.id) == ["p-77"])
    await scene.end()
  }

  @Test func whatIsRefusedIsPutAway() async throws {
    let scene = try await PageScene()
    try await scene.pay("Grace", "11", account: "acc-2")
    try await scene.until("the refusal") { scene.screen.list.refused.count == 1 }
    let name = try #require(scene.screen.list.refused.first?.name)
    #expect(try await scene.get().contains("aria-label=\"Put away the refused payment to Grace\""))
    #expect(try await scene.post("/put-away", []).status == 400)
    #expect(try await scene.post("/put-away", [("name", "another")]).status == 200)
    #expect(scene.screen.list.refused.count == 1)
    #expect(try await scene.post("/put-away", [("name", name)], asScript: true).text.contains("Put away."))
    #expect(try RefusedPayments(stack: scene.container.stack).lines().isEmpty)
    try await scene.until("its end") { scene.screen.list.refused.isEmpty }
    #expect(try await !scene.get().contains("Refused by the bank"))
    // It is refused still, and is not sent again.
    #expect(try await scene.container.desk.order(name)?.state == .rejected)
    #expect(scene.bank.orders.count == 1)
    await scene.end()
  }

  /// Of most orders nothing is shown: they are made.
  @Test func onlyWhatIsShownIsRead() async throws {
    let scene = try await PageScene(isRunning: false)
    let desk = scene.container.desk
    for number in 0..<5 {
      let draft = try PageMade.form().draft()
      _ = try await desk.accept(draft)
      if number == 0 { continue }
      let order = try #require(try await desk.begin(draft.name, deadline: .distantFuture))
      if number == 1 {
        try await desk.rejected(order, "No.")
      } else {
        try await desk.made(draft.name, PageMade.payment("\(number)"))
      }
    }
    try await scene.until("the list") { scene.screen.list.payments.count == 3 && scene.screen.list.refused.count == 1 }
    #expect(scene.screen.list.open.results.map(\.state) == [.waiting])
    #expect(try await desk.open().count == 1)
    await scene.end()
  }

  @Test func longListsAreCut() throws {
    let payments = (0..<8).map { number in
      PaymentOnItsWay(
        name: "\(number)", recipientName: "R\(number)", accountNumber: "", amount: nil, currency: "", stage: .sending)
    }
    let html = WayTemplate.lists(payments, refused: []).text
    #expect(html.contains("<summary>3 more</summary>"))
    #expect(html.ranges(of: "<li class=\"payment\"").count == 8)
    #expect(WayTemplate.lists([], refused: []).text.isEmpty)
  }

  @Test func theBankAndTheLineAreSetByThePage() async throws {
    let scene = try await PageScene(isRunning: false)
    #expect(try await scene.post("/line", [("do", "cut")]).text.contains("Mend the line"))
    #expect(scene.controls.isCut)
    #expect(try await scene.post("/line", [("do", "mend")]).text.contains("Cut the line"))
    for conduct in BankConduct.allCases {
      let (_, html) = try await scene.post("/bank", [("conduct", conduct.rawValue)])
      #expect(html.contains("<option value=\"\(conduct.rawValue)\" selected>"))
      #expect(scene.controls.conduct == conduct)
    }
    await scene.end()
  }
}
