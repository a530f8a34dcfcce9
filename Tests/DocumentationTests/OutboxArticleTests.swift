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
          ? .json(#"{"reference": "1"}"#) : .status(500)
      })
    #expect(try stored.isMade)
    try await outbox.send(key, by: client { _ in .status(500) })
    #expect(try stored.isMade)
  }

  @Test func whatIsSurelyNotThereMayBeSentAgain() async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    await #expect(throws: HTTPError.self) {
      try await outbox.send(
        key,
        by: client { (_) async throws(HTTPError) in throw HTTPError(.notSent(.connectionRefused), delivery: .notSent) })
    }
    #expect(try !stored.isOpen && !stored.isMade)
    try await outbox.send(
      key, by: client { _ in .text(#"{"title": "Too little."}"#, type: "application/problem+json", status: 422) })
    #expect(try stored.refusal == "Too little.")
  }

  /// A 503 may come from what stands before a server that has acted, and a 409 while the first attempt is at work.
  @Test(arguments: [503, 500, 409, 404, 408]) func whatIsNoVerdictLeavesItUnknown(_ status: Int) async throws {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    await #expect(throws: HTTPError.self) {
      try await outbox.send(key, by: client { _ in .status(status, headers: ["Retry-After": "1"]) })
    }
    #expect(try stored.isOpen && stored.refusal == nil)
  }

  @Test func whatIsUnknownIsAskedFor() async throws {
    let key = try await unknown()
    let nothing = client { _ in .json("[]") }
    // Not sent again, and not asked for either before its time has passed.
    try await outbox.send(key, by: client { _ in .json(#"{"reference": "1"}"#) })
    try await outbox.ask(key, by: nothing)
    #expect(try stored.isOpen && !stored.isMade)
    try letTimePass()
    let found = client { request in
      request.url.query()?.contains(key) == true ? .json(#"[{"reference": "\#(key)"}]"#) : .json("[]")
    }
    try await outbox.ask(key, by: found)
    #expect(try stored.isMade)
  }

  @Test func paymentsOfOthersSayNothing() async throws {
    let key = try await unknown()
    try letTimePass()
    try await outbox.ask(key, by: client { _ in .json(#"[{"reference": "another"}]"#) })
    #expect(try !stored.isMade && !stored.isOpen)
  }

  /// Two ask; the answer of one comes when the other's has led to another attempt already.
  @Test func aNoneThatComesLateIsOfAnEarlierAttempt() async throws {
    let key = try await unknown()
    try letTimePass()
    let outbox = outbox
    let lost = lost
    try await outbox.ask(
      key,
      by: client { _ in
        try? await outbox.ask(key, by: client { _ in .json("[]") })
        try? await outbox.send(key, by: lost)
        return .json("[]")
      })
    #expect(try stored.isOpen)
  }

  @Test func allHaveTheirTurn() async throws {
    let first = try await outbox.accept(NewPayment(amount: "1.00"))
    let second = try await outbox.accept(NewPayment(amount: "2.00"))
    let refusesOne = client { (request) async throws(HTTPError) in
      guard request.headers["Idempotency-Key"]?.contains(first) != true else {
        throw HTTPError(.notSent(.connectionRefused), delivery: .notSent)
      }
      return .json(#"{"reference": "\#(second)"}"#)
    }
    await #expect(throws: HTTPError.self) { _ = try await outbox.goOn(by: refusesOne) }
    let made = try ModelContext(container).fetch(FetchDescriptor<OutgoingPayment>(predicate: #Predicate { $0.isMade }))
    #expect(made.map(\.key) == [second])
    #expect(try await outbox.goOn(by: client { _ in .json(#"{"reference": "\#(first)"}"#) }) == nil)
    #expect(try ModelContext(container).fetch(FetchDescriptor<OutgoingPayment>()).allSatisfy(\.isMade))
  }

  private var lost: HTTPClient {
    client { (_) async throws(HTTPError) in throw HTTPError(.maybeSent(.closed), delivery: .maybeSent) }
  }

  /// A payment whose answer was lost.
  private func unknown() async throws -> String {
    let key = try await outbox.accept(NewPayment(amount: "12.00"))
    await #expect(throws: HTTPError.self) { try await outbox.send(key, by: lost) }
    #expect(try stored.isOpen)
    return key
  }

  private func letTimePass() throws {
    let context = ModelContext(container)
    try #require(try context.fetch(FetchDescriptor<OutgoingPayment>()).first).goodUntil = .distantPast
    try context.save()
  }
}
