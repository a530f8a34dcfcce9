import ExampleSupport
import Foundation
import FoundationNetworking
import LarderHTTP
import Testing

@testable import payments

/// The page, asked over a socket as a browser asks it.
@MainActor @Suite struct PageTests {
  @Test func paymentIsMadeAndShown() async throws {
    let scene = try await PageScene()
    try await scene.pay("Ada Lovelace", "1234,5")
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    let html = try await scene.get()
    for word in ["Ada Lovelace", "1,234.50\u{A0}EUR", "•••• 3000", "account ending in 3000", "Rent", "not carried out"]
    {
      #expect(html.contains(word), "\(word)")
    }
    // Of the number nothing else is on the page.
    #expect(!html.contains("DE89") && !html.contains("0532"))
    #expect(scene.bank.orders.map(\.recipientAccountNumber) == ["DE89370400440532013000"])
    #expect(!html.contains("On their way"))
    await scene.end()
  }

  @Test func formThatIsSentTwicePaysOnce() async throws {
    let scene = try await PageScene()
    let fields = try scene.fields(of: try await scene.get())
    // A double click: both are under way before either is answered. Then a reload, and one by the page's script.
    async let first = scene.post("/pay", fields)
    async let second = scene.post("/pay", fields)
    #expect(try await [first.status, second.status] == [200, 200])
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    #expect(try await scene.post("/pay", fields).status == 200)
    #expect(try await scene.post("/pay", fields, asScript: true).text.contains("Kept, and on its way."))
    try await scene.until("an end") { try await scene.container.desk.open().isEmpty }
    #expect(scene.bank.orders.count == 1 && scene.bank.booked.count == 1)
    // Another form is another payment, even if it says the same.
    try await scene.pay()
    try await scene.until("another payment") { scene.screen.list.payments.count == 2 }
    #expect(Set(scene.bank.orders.map(\.idempotencyKey)).count == 2)
    await scene.end()
  }

  @Test func formThatWasSentIsNoOtherPayment() async throws {
    let scene = try await PageScene()
    let fields = try scene.fields(of: try await scene.get())
    _ = try await scene.post("/pay", fields)
    let changed = fields.map { $0.0 == "amount" ? ("amount", "99") : $0 }
    let (_, html) = try await scene.post("/pay", changed)
    #expect(html.contains("This form was sent before") && html.contains("value=\"99\""))
    try await scene.until("an end") { try await scene.container.desk.open().isEmpty }
    #expect(scene.bank.orders.map(\.amount) == ["12.5"])
    // The form that came back is one of its own.
    let again = try scene.fields(of: html, amount: "99")
    _ = try await scene.post("/pay", again)
    try await scene.until("both") { scene.bank.orders.map(\.amount) == ["12.5", "99"] }
    await scene.end()
  }

  @Test func mistakesStandBesideTheirFieldsAndNothingIsLost() async throws {
    let scene = try await PageScene()
    let (status, html) = try await scene.post(
      "/pay", try scene.fields(of: try await scene.get(), recipient: " ", amount: "1,234.50"))
    #expect(status == 200)
    #expect(html.contains("<p class=\"mistake\" id=\"mistake-recipient\">The recipient&#39;s name is missing.</p>"))
    #expect(html.contains("aria-describedby=\"mistake-amount\""))
    #expect(html.contains("Write the amount as 12.50"))
    #expect(html.contains("value=\"1,234.50\"") && html.contains("value=\"DE89 3704 0044 0532 0130 00\""))
    #expect(!html.contains("mistake-number") && !html.contains("mistake-description"))
    #expect(try await scene.container.desk.count().asked == 0)
    await scene.end()
  }

  @Test func refusalHasItsReason() async throws {
    let scene = try await PageScene()
    try await scene.pay("Grace", "11", account: "acc-2")
    try await scene.until("the refusal") { !scene.screen.list.refused.isEmpty }
    let html = try await scene.get()
    #expect(html.contains("Refused by the bank"))
    #expect(html.contains("There is not enough on the account. Nothing was paid."))
    #expect(scene.screen.list.payments.isEmpty && scene.bank.orders.count == 1)
    await scene.end()
  }

  @Test func pendingPaymentIsCancelled() async throws {
    let scene = try await PageScene()
    try await scene.pay()
    try await scene.until("the payment") { scene.screen.list.payments.count == 1 }
    #expect(try await scene.get().contains("aria-label=\"Cancel the payment to Ada\""))
    scene.bank.failure = PageBank.refusal("The payment is carried out already.")
    let (_, refused) = try await scene.post("/cancel", [("id", "p-1")])
    #expect(refused.contains("The payment is not cancelled. The payment is carried out already."))
    scene.bank.failure = .noAnswer
    #expect(try await scene.post("/cancel", [("id", "p-1")]).text.contains("The bank&#39;s answer was lost."))
    scene.bank.failure = nil
    _ = try await scene.post("/cancel", [("id", "p-1")])
    try await scene.until("the end of it") { scene.screen.list.payments.first?.status == .cancelled }
    #expect(try await !scene.get().contains("Cancel the payment"))
    await scene.end()
  }

  /// By the page's own network: what cannot stand in an address does not get as far as a bank.
  @Test(arguments: [
    "", ".", "..", "p-2", "a/b", "../p-1", "p-1?x=1", "p-1#x", "\u{0}", "%2e%2e", "é🏦",
    String(repeating: "p", count: 3_000),
  ])
  func whatIsNoPaymentIsSaidToBeNone(_ id: String) async throws {
    let stub = TransportStub { request in
      request.url.path().hasSuffix("/p-1/cancel") ? .status(500) : .status(404)
    }
    let url = try #require(URL(string: "https://bank.example"))
    let network = NetworkManager(client: HTTPClient(baseURL: url, transport: stub))
    let scene = try PageScene(container: DIContainer(network: network, store: nil)) { _ in }
    let (status, html) = try await scene.post("/cancel", [("id", id)])
    #expect(status == 200 && html.contains("There is no such payment, and nothing is cancelled."), "\(html)")
    await scene.end()
  }

  @Test func whatSomebodyTypedNeverBecomesMarkup() async throws {
    let hostile = #""><script>alert(1)</script>'"#
    let scene = try await PageScene()
    scene.bank.failure = PageBank.refusal(hostile)
    try await scene.pay(hostile)
    try await scene.until("the refusal") { !scene.screen.list.refused.isEmpty }
    scene.bank.failure = nil
    try await scene.pay(hostile)
    try await scene.until("the payment") { !scene.screen.list.payments.isEmpty }
    let (_, form) = try await scene.post(
      "/pay", try scene.fields(of: try await scene.get(), recipient: hostile, amount: hostile))
    for html in [try await scene.get(), form] {
      #expect(!html.contains("<script>"))
      #expect(html.contains("&lt;script&gt;"))
    }
    await scene.end()
  }

  @Test(arguments: ["", "name=1&recipient=a", "id=", "do=fly", "conduct=none", "%=%&&=="])
  func whatIsNoFormIsRefused(body: String) async throws {
    let scene = try await PageScene(isRunning: false)
    let fields = body.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      return (pair.first ?? "", pair.count > 1 ? pair[1] : "")
    }
    for path in ["/pay", "/line", "/bank"] { #expect(try await scene.post(path, fields).status == 400, "\(path)") }
    await scene.end()
  }

  @Test(arguments: ["/", "/view", "/page.css", "/page.js", "/live.js", "/icon.svg"])
  func nothingFromElsewhereIsAllowed(path: String) async throws {
    let scene = try await PageScene(isRunning: false)
    let (_, response) = try await URLSession.shared.data(
      from: try #require(URL(string: path, relativeTo: scene.page.url)))
    let policy = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Security-Policy")
    #expect(policy?.hasPrefix("default-src 'none'") == true)
    await scene.end()
  }
}
