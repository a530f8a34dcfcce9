import ExampleSupport
import Foundation
import FoundationNetworking
import LarderHTTP
import Testing

@testable import payments

/// A payment's way through its states, as the page tells it, and what reaches the windows by itself.
@MainActor @Suite struct PageWayTests {
  @Test func paymentWithoutABankIsNotSentYet() async throws {
    let scene = try await PageScene(patience: .init(order: 0.2, clocks: 0.05, again: 60))
    scene.bank.failure = .notSent
    try await scene.pay()
    try await scene.until("an attempt") { scene.screen.list.onTheirWay.first?.stage == .waiting(wasTried: true) }
    try await scene.until("the trouble") { !scene.screen.sync.isOnline }
    let html = try await scene.get()
    #expect(html.contains("Offline") && html.contains("The bank cannot be reached."))
    #expect(html.contains("Not sent yet: nothing is paid so far."))
    // A minute is to pass before it is tried again, and yet it is sent as soon as the network is back.
    scene.bank.failure = nil
    scene.controls.connectivity.set(.up)
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    #expect(scene.screen.sync.isOnline && scene.screen.list.onTheirWay.isEmpty)
    #expect(try await scene.get().contains("Online"))
    await scene.end()
  }

  @Test func lostAnswerIsAskedForAtATime() async throws {
    let scene = try await PageScene(patience: .init(order: 60, clocks: 1, again: 1))
    scene.bank.failure = .noAnswer
    try await scene.pay()
    var asked: Date?
    try await scene.until("the loss") {
      if case .lost(let date)? = scene.screen.list.onTheirWay.first?.stage { asked = date }
      return asked != nil
    }
    let date = try #require(asked)
    #expect(abs(date.timeIntervalSinceNow - 61) < 5)
    #expect(try await scene.get().contains("The answer was lost: it may be paid, or not. The bank is asked at <time"))
    // To mend the line sends nothing: what is unknown stays so until the bank can be asked.
    scene.bank.failure = nil
    scene.controls.connectivity.set(.up)
    try await scene.until("a sync") { scene.screen.sync.lastSync != nil }
    #expect(scene.bank.orders.count == 1 && scene.screen.list.onTheirWay.count == 1)
    await scene.end()
  }

  @Test func paymentThatASyncBringsIsShownOnce() async throws {
    let scene = try await PageScene(patience: .init(order: 60, clocks: 1, again: 1))
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
      (.waiting(wasTried: false), "Not sent yet."), (.sending, "Sent; the bank has not answered yet."),
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
    let scene = try await PageScene()
    try await scene.until("the first sync") { scene.screen.sync.lastSync != nil }
    try await Task.sleep(for: .milliseconds(300))
    let sent = scene.screen.events.sent
    try await Task.sleep(for: .milliseconds(100))
    #expect(scene.screen.events.sent == sent)
    // By somebody who knows nothing of the screen.
    try await scene.container.paymentDAO.save(PageMade.payment("p-77"))
    try await scene.until("an event") { scene.screen.events.sent > sent }
    #expect(scene.screen.list.payments.map(\.id) == ["p-77"])
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
