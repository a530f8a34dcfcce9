import Foundation
import Larder
import LarderTesting
import Synchronization
import Testing

// snippet: local client
/// A client of a server on this machine, which no proxy of the environment concerns.
func localClient(_ url: URL, _ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
  var options = CurlTransport.Options()
  options.proxy = .none
  var configuration = HTTPClient.Configuration()
  // Waits between attempts take no time.
  configuration.dependencies.clock = TestClock(advancesAutomatically: true)
  change(&configuration)
  return HTTPClient(baseURL: url, configuration: configuration, transport: CurlTransport(options: options))
}
// snippet end

// snippet: bank
/// A server that is well: what it did is what counts.
final class Bank: Sendable {
  private let made = Mutex<[String: Payment]>([:])

  var payments: [Payment] { made.withLock { Array($0.values) } }

  func answer(_ request: ScriptedServer.RecordedRequest) -> FaultServer.Response {
    guard let key = request.headers["idempotency-key"] else { return .status(400) }
    let payment = made.withLock { made in
      // The same key is the same payment.
      let payment = made[key] ?? Payment(id: "\(made.count + 1)", amount: "12.00")
      made[key] = payment
      return payment
    }
    return .json(#"{"id": "\#(payment.id)", "amount": "\#(payment.amount)"}"#, status: 201)
  }
}
// snippet end

/// The tests that TestingWithLarderTesting.md shows are tests.
@Suite struct LarderTestingArticleTests {
  // snippet: stub
  @Test func aListIsShown() async throws {
    let stub = TransportStub { _ in .json(#"[{"id": "1", "amount": "12.00"}]"#) }
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, transport: stub)
    #expect(try await client.request(.payments(limit: 20)).map(\.id) == ["1"])
    #expect(stub.requests.map { $0.url.absoluteString } == ["https://api.example/v1/payments?limit=20"])
  }
  // snippet end

  // snippet: commit
  @Test func aPaymentIsMadeOnce() async throws {
    let bank = Bank()
    let server = try FaultServer(faults: .script([.closeAfterCommit, .status(503)])) { bank.answer($0) }
    defer { server.stop() }
    let payment = try await localClient(server.url()).request(PaymentDraft(amount: "12.00").endpoint)
    #expect(bank.payments == [payment])
    #expect(server.log.map(\.fault) == [.closeAfterCommit, .status(503), nil])
    #expect(server.log.map(\.wasHandled) == [true, false, true])
  }
  // snippet end

  // snippet: seeds
  @Test(arguments: [UInt64.random(in: 0...999_999)])
  func paymentsAreMadeOnceWhateverFails(seed: UInt64) async throws {
    let bank = Bank()
    let server = try FaultServer(faults: .seeded(seed, share: 0.4)) { bank.answer($0) }
    defer { server.stop() }
    let client = localClient(server.url()) { $0.retry = RetryPolicy(attempts: 20, budget: 1_000) }
    for _ in 0..<20 { _ = try await client.request(PaymentDraft(amount: "12.00").endpoint) }
    #expect(bank.payments.count == 20, "seed \(seed)")
  }
  // snippet end

  // snippet: waits
  @Test func whatTheServerAsksForIsWaited() async throws {
    let server = try FaultServer(faults: .script([.status(429, retryAfter: .seconds(7))])) { _ in .json("[]") }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = localClient(server.url()) { configuration in
      configuration.dependencies = HTTPDependencies(clock: clock, random: { 0.5 })
    }
    _ = try await client.request(.payments(limit: 20))
    // Half of what is drawn, and what was asked for below it.
    #expect(clock.sleeps == [.milliseconds(7_250)])
  }
  // snippet end

  // snippet: clock by hand
  @Test func theNextAttemptWaits() async throws {
    let server = try FaultServer(faults: .script([.status(503)])) { _ in .json("[]") }
    defer { server.stop() }
    let clock = TestClock()
    let client = localClient(server.url()) { configuration in
      configuration.dependencies = HTTPDependencies(clock: clock, random: { 0.5 })
    }
    let list = Task { try await client.request(.payments(limit: 20)) }
    // Until somebody waits: the first attempt has failed.
    await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(249))
    #expect(clock.sleeps == [.milliseconds(250)] && server.log.count == 1)
    clock.advance(by: .milliseconds(1))
    #expect(try await list.value.isEmpty && server.log.count == 2)
  }
  // snippet end

  // snippet: real deadlines
  @Test func aServerThatIsSilentIsGivenUp() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/payments") { _ in .hang }
    let client = localClient(server.url()) { configuration in
      configuration.dependencies.clock = TestClock()  // It stands still.
      configuration.retry = .never
      configuration.deadlines.firstByte = .milliseconds(50)
    }
    let error = await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 20)) }
    #expect(error?.kind == .deadline(.firstByte))
  }
  // snippet end

  /// The waits, and what they leave of the total, are by the clock: an hour of it passes, and no second.
  @Test func theTotalBetweenAttemptsIsByTheClock() async throws {
    let server = try FaultServer(faults: .always(.status(503))) { _ in .json("[]") }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = localClient(server.url()) { configuration in
      configuration.dependencies = HTTPDependencies(clock: clock, random: { 0.5 })
      configuration.deadlines.total = .seconds(3_600)
      configuration.retry = RetryPolicy(attempts: 10, base: .seconds(2_000), cap: .seconds(2_000))
    }
    let error = await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 20)) }
    #expect(error?.kind == .unacceptableStatus(503) && error?.attempts == 4)
    #expect(clock.sleeps == Array(repeating: .seconds(1_000), count: 3))
  }

  // snippet: requests
  @Test func whatWasSentIsSeen() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/payments") { _ in .json("[]") }
    server.route("/v1/payments", method: .post) { _ in .json(#"{"id": "1", "amount": "12.00"}"#, status: 201) }
    let client = localClient(server.url())
    _ = try await client.request(.payments(limit: 20))
    let draft = PaymentDraft(amount: "12.00")
    _ = try await client.request(draft.endpoint)
    #expect(server.requestCount("/v1/payments") == 2)
    #expect(server.requests.map(\.target) == ["/v1/payments?limit=20", "/v1/payments"])
    #expect(server.requests.first?.queryItems == [URLQueryItem(name: "limit", value: "20")])
    #expect(server.requests.last?.headers["idempotency-key"] == draft.key)
    #expect(server.requests.last?.body == Data(#"{"amount":"12.00"}"#.utf8))
  }
  // snippet end

  // snippet: routes and faults
  @Test func onlyPaymentsFail() async throws {
    let bank = Bank()
    let faults = FaultPlan { number, request in request.method == "POST" && number < 3 ? .closeAfterCommit : nil }
    let server = try FaultServer(faults: faults) { request in
      switch (request.method, request.encodedPath) {
      case ("GET", "/v1/payments"): .json("[]")
      case ("POST", "/v1/payments"): bank.answer(request)
      default: .status(404)
      }
    }
    defer { server.stop() }
    let client = localClient(server.url())
    #expect(try await client.request(.payments(limit: 20)).isEmpty)
    let payment = try await client.request(PaymentDraft(amount: "12.00").endpoint)
    #expect(bank.payments == [payment])
    #expect(server.log.map(\.fault) == [nil, .closeAfterCommit, .closeAfterCommit, nil])
  }
  // snippet end

  // snippet: secure
  @Test func anotherKeyIsRefused() async throws {
    let authority = try TestCertificateAuthority()
    let server = try LoopbackServer(identity: authority.identity())
    defer { server.stop() }
    var options = CurlTransport.Options()
    options.proxy = .none
    options.trustRoots = .only(pem: authority.certificate)
    let other = try KeyPins.Pin(sha256: authority.identity().publicKeySHA256)
    try options.pins.pin("127.0.0.1", to: [other])
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    let error = await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 20)) }
    #expect(error?.kind == .pinMismatch(host: "127.0.0.1"))
    #expect(server.requests.isEmpty)
  }
  // snippet end

  // snippet: proxy
  @Test func anAnswerThatBreaksOffIsAskedForAgain() async throws {
    let server = try LoopbackServer()
    server.route("/v1/payments") { _ in .json("[]") }
    let proxy = try FaultProxy(to: server.port) { $0 == 0 ? .init(.close, at: 30, .toClient) : nil }
    defer {
      proxy.stop()
      server.stop()
    }
    #expect(try await localClient(proxy.url()).request(.payments(limit: 20)).isEmpty)
    #expect(server.requestCount("/v1/payments") == 2)
  }
  // snippet end
}
