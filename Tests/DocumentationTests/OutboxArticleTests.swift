import Foundation
import Larder
import LarderTesting
import Testing

/// The steps of IdempotentWrites.md, each run.
@Suite struct OutboxArticleTests {
  private let container: ModelContainer
  private let outbox: Outbox

  init() throws {
    container = try ModelContainer(
      for: OutgoingPayment.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    outbox = Outbox(modelContainer: container)
  }

  private func client(_ handler: @escaping TransportStub.Handler) -> HTTPClient {
    // snippet: outbox client
    var configuration = HTTPClient.Configuration()
    // The outbox decides what is sent again.
    configuration.retry = .never
    // What comes after the request's own time is of no use.
    configuration.deadlines.total = .seconds(30)
    // snippet end
    return HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: configuration, transport: TransportStub(handler))
  }

  private var stored: (isMade: Bool, isOpen: Bool, refusal: String?) {
    get throws {
      let one = try #require(try ModelContext(container).fetch(FetchDescriptor<OutgoingPayment>()).first)
      return (one.isMade, one.goodUntil != nil, one.refusal)
    }
  }

  @Test func anAnswerEndsIt() async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    try await outbox.send(
      key,
      by: client { [container] request in
        // The store knows of it before the server does.
        let one = try? ModelContext(container).fetch(FetchDescriptor<OutgoingPayment>()).first
        return request.headers["Idempotency-Key"]?.contains(one?.key ?? "-") == true && one?.goodUntil != nil
          ? .json(#"{"id": "1", "amount": "12.00"}"#) : .status(500)
      })
    #expect(try stored.isMade)
    try await outbox.send(key, by: client { _ in .status(500) })
    #expect(try stored.isMade)
  }

  @Test func whatIsSurelyNotThereMayBeSentAgain() async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    try await outbox.send(
      key, by: client { (_) async throws(HTTPError) in throw HTTPError(.notSent(.refused), delivery: .notSent) })
    #expect(try !stored.isOpen && !stored.isMade)
    try await outbox.send(
      key, by: client { _ in .text(#"{"title": "Too little."}"#, type: "application/problem+json", status: 422) })
    #expect(try stored.refusal == "Too little.")
  }

  /// A 503 may come from what stands before a server that has acted, and a 409 while the first attempt is at work.
  @Test(arguments: [503, 500, 409, 404, 408]) func whatIsNoVerdictLeavesItUnknown(_ status: Int) async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    try await outbox.send(key, by: client { _ in .status(status, headers: ["Retry-After": "1"]) })
    #expect(try stored.isOpen && stored.refusal == nil)
  }

  @Test func whatIsUnknownIsAskedFor() async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    try await outbox.send(
      key, by: client { (_) async throws(HTTPError) in throw HTTPError(.maybeSent(.closed), delivery: .maybeSent) })
    #expect(try stored.isOpen)
    let nothing = client { _ in .json("[]") }
    // Not sent again, and not asked for either before its time has passed.
    try await outbox.send(key, by: client { _ in .json(#"{"id": "1", "amount": "12.00"}"#) })
    try await outbox.ask(key, by: nothing)
    #expect(try stored.isOpen && !stored.isMade)
    let context = ModelContext(container)
    try #require(try context.fetch(FetchDescriptor<OutgoingPayment>()).first).goodUntil = .distantPast
    try context.save()
    let found = client { request in
      request.url.query()?.contains(key) == true ? .json(#"[{"id": "1", "amount": "12.00"}]"#) : .json("[]")
    }
    try await outbox.ask(key, by: found)
    #expect(try stored.isMade)
  }
}
