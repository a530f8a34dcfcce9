import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct ClientTests {
  private let base = URL(string: "https://api.example.org")!

  private func client(
    _ stub: TransportStub, clock: TestClock = TestClock(advancesAutomatically: true),
    change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.dependencies = HTTPDependencies(clock: clock, now: { Fault.now }, random: { 0.5 })
    change(&configuration)
    return HTTPClient(baseURL: base, configuration: configuration, transport: stub)
  }

  @Test func interceptorsSeeEachAttemptTheFirstOneOutermost() async throws {
    struct Mark: HTTPInterceptor {
      let name: String
      func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
        var request = request
        request.headers.add(name, for: "X-Mark")
        var response = try await next(request)
        response.head.headers.add(name, for: "X-Seen")
        return response
      }
    }
    let count = Mutex(0)
    let stub = TransportStub { _ in
      count.withLock {
        $0 += 1
        return $0
      } == 1 ? .status(503) : .json("[]")
    }
    let client = client(stub) { $0.interceptors = [Mark(name: "outer"), Mark(name: "inner")] }
    let response = try await client.response(to: Endpoint<Void>.get("/x"))
    #expect(stub.requests.map { $0.headers.values(for: "X-Mark") } == [["outer", "inner"], ["outer", "inner"]])
    #expect(response.headers.values(for: "X-Seen") == ["inner", "outer"])
    #expect(response.metrics.attempts == 2)
  }

  @Test func theBytesOfABodyAreMadeOnce() async throws {
    final class Encoder: BodyEncoder {
      let count = Mutex(0)
      func encode<Value: Encodable>(_ value: Value) throws -> Data {
        count.withLock { $0 += 1 }
        return Data("\(count.withLock { $0 })".utf8)
      }
    }
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("{}", status: "503 No")), .restart] }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) {
      $0.encoder = Encoder()
    }
    _ = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Void>.put("/x", body: .json(["a": 1])))
    }
    #expect(server.requests.map(\.body) == [Data("1".utf8), Data("1".utf8), Data("1".utf8)])
  }

  @Test func idempotencyKeys() async throws {
    let stub = TransportStub { _ in .json("[]") }
    func sent(_ key: String, _ header: IdempotencyHeader) async throws -> String? {
      let client = client(stub) { $0.idempotencyHeader = header }
      try await client.request(Endpoint<Void>.post("/x").with { $0.idempotencyKey = key })
      return stub.requests.last?.headers[header.name]
    }
    #expect(try await sent("abc", IdempotencyHeader()) == "abc")
    #expect(try await sent("a\"b\\c", IdempotencyHeader(format: .structured)) == #""a\"b\\c""#)
    #expect(try await sent("abc", IdempotencyHeader(name: "X-Request-Key")) == "abc")
    for key in ["", "a\r\nb", "ü", "a b"] {
      let error = await #expect(throws: HTTPError.self) { try await sent(key, IdempotencyHeader()) }
      #expect(error?.kind == .invalidRequest(.idempotencyKey))
      #expect(error?.request == "POST /x")
    }
  }

  @Test func waitsAreDrawnEvenlyUpToADoublingCap() async throws {
    let clock = TestClock(advancesAutomatically: true)
    let stub = TransportStub { _ in .status(502) }
    let random = Mutex([0.0, 0.25, 0.999, 0.5, 0.5, 0.5, 0.5])
    let client = client(stub, clock: clock) { configuration in
      configuration.retry = RetryPolicy(attempts: 8, base: .seconds(1), cap: .seconds(20))
      configuration.deadlines.total = nil
      configuration.dependencies.random = { random.withLock { $0.removeFirst() } }
    }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    #expect(error?.attempts == 8)
    // Out of 1, 2, 4, 8, 16, 20 and 20 seconds; the first of them is no wait at all.
    #expect(clock.sleeps == [500, 3_996, 4_000, 8_000, 10_000, 10_000].map { Duration.milliseconds($0) })
  }

  /// Kept connections that a server ends one after the other cost neither attempts nor waits, and only the first of them
  /// nothing of the budget; but not without end.
  @Test(arguments: [3, 4]) func keptConnectionsThatEnd(_ ends: Int) async throws {
    let clock = TestClock(advancesAutomatically: true)
    let left = Mutex(ends)
    let stub = TransportStub { (_) throws(HTTPError) in
      guard
        left.withLock({ left in
          left -= 1
          return left < 0
        })
      else { throw HTTPError(.maybeSent(.closedWhileIdle), delivery: .maybeSent) }
      return .json("[]")
    }
    let client = client(stub, clock: clock) { $0.retry = RetryPolicy(attempts: 2, budget: 5) }
    _ = try await client.response(to: Endpoint<Void>.get("/x"))
    #expect(stub.requests.count == ends + 1 && clock.sleeps.count == ends - 3)
    left.withLock { $0 = 1_000 }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.put("/x")) }
    #expect(error?.kind == .maybeSent(.closedWhileIdle) && error?.attempts == 8 - ends)
    let poor = self.client(stub) { $0.retry = RetryPolicy(attempts: 5, budget: 1) }
    let second = await failure { () async throws(HTTPError) in try await poor.response(to: Endpoint<Void>.get("/x")) }
    #expect(second?.attempts == 3)
    let never = self.client(stub) { $0.retry = .never }
    let first = await failure { () async throws(HTTPError) in try await never.response(to: Endpoint<Void>.get("/x")) }
    #expect(first?.attempts == 1)
  }

  @Test func aBudgetBoundsWhatAHostIsGiven() async throws {
    let clock = TestClock(advancesAutomatically: true)
    let isWell = Mutex(false)
    let stub = TransportStub { _ in isWell.withLock { $0 } ? .json("[]") : .status(503) }
    let client = client(stub, clock: clock) { configuration in
      configuration.retry = RetryPolicy(attempts: 3, base: .milliseconds(1), budget: 10)
    }
    for _ in 0..<50 {
      _ = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    }
    // 50 requests and 10 retries, not 150.
    #expect(stub.requests.count == 60)
    isWell.withLock { $0 = true }
    for _ in 0..<10 { _ = try await client.response(to: Endpoint<Void>.get("/x")) }
    isWell.withLock { $0 = false }
    let before = stub.requests.count
    _ = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    // Ten successes are one retry.
    #expect(stub.requests.count - before == 2)
    // And so are ten seconds.
    clock.advance(by: .seconds(20))
    let later = stub.requests.count
    _ = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    #expect(stub.requests.count - later == 3)
    // Another host has its own.
    let other = stub.requests.count
    _ = await failure { () async throws(HTTPError) in
      try await client.response(to: Endpoint<Void>.get("/x").with { $0.baseURL = URL(string: "https://other") })
    }
    #expect(stub.requests.count - other == 3)
  }

  @Test func thousandClientsDoNotComeBackTogether() async throws {
    let arrivals = Mutex<[Duration]>([])
    for _ in 0..<1_000 {
      let clock = TestClock(advancesAutomatically: true)
      let stub = TransportStub { _ in .status(503) }
      var configuration = HTTPClient.Configuration()
      configuration.dependencies = HTTPDependencies(clock: clock)
      configuration.retry = RetryPolicy(attempts: 4, base: .seconds(1))
      let client = HTTPClient(baseURL: base, configuration: configuration, transport: stub)
      _ = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
      var time = Duration.zero
      for sleep in clock.sleeps {
        time += sleep
        arrivals.withLock { $0.append(time) }
      }
    }
    // 3,000 arrivals within 7 s, by tenths of a second: the fullest has less than four times the mean of the first two
    // seconds, where the most are.
    var byTenth: [Int: Int] = [:]
    for arrival in arrivals.withLock({ $0 }) { byTenth[Int(arrival / .milliseconds(100)), default: 0] += 1 }
    let early = (0..<20).map { byTenth[$0] ?? 0 }
    #expect((byTenth.values.max() ?? 0) * 20 < 4 * early.reduce(0, +))
  }

  @Test func theDeadlineIsOfAllAttempts() async throws {
    let clock = TestClock(advancesAutomatically: true)
    let stub = TransportStub { _ in .status(503) }
    let client = client(stub, clock: clock) { configuration in
      configuration.retry = RetryPolicy(attempts: 10, base: .seconds(4), cap: .seconds(4))
      configuration.deadlines.total = .seconds(5)
    }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    // The third wait would end after the deadline: it is not begun, and the failure is what it was.
    #expect(error?.kind == .unacceptableStatus(503) && error?.attempts == 3)
    #expect(clock.now.offset == .seconds(4))
    #expect(stub.requests.map(\.deadlines.total) == [.seconds(5), .seconds(3), .seconds(1)])
  }

  /// Takes six seconds for each body.
  private final class SlowEncoder: BodyEncoder {
    private let clock: TestClock
    private let made = Mutex(0)

    init(_ clock: TestClock) { self.clock = clock }

    var count: Int { made.withLock { $0 } }

    func encode<Value: Encodable>(_ value: Value) throws -> Data {
      made.withLock { $0 += 1 }
      clock.advance(by: .seconds(6))
      return Data("1".utf8)
    }
  }

  /// A body by one of the two ways of saying what is to be encoded.
  private struct Order: APIEndpoint {
    var isContent: Bool
    var path: EndpointPath { "/orders" }
    var method: HTTPMethod { .put }
    var body: (any Encodable)? { if isContent { nil } else { ["a": 1] as [String: Int] } }
    var content: RequestBody? { if isContent { .json(["a": 1]) } else { nil } }
  }

  @Test(arguments: [true, false]) func theDeadlineIsOfTheMakingOfTheBody(_ isContent: Bool) async throws {
    let clock = TestClock(advancesAutomatically: true)
    let encoder = SlowEncoder(clock)
    let stub = TransportStub { _ in .json("[]") }
    let client = client(stub, clock: clock) { configuration in
      configuration.encoder = encoder
      configuration.deadlines.total = .seconds(5)
    }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: Order(isContent: isContent))
    }
    #expect(error?.kind == .deadline(.total) && error?.delivery == .notSent && error?.request == "PUT /orders")
    #expect(stub.requests.isEmpty && encoder.count == 1)
    let patient = self.client(stub, clock: clock) { configuration in
      configuration.encoder = encoder
      configuration.deadlines.total = .seconds(10)
    }
    _ = try await patient.response(to: Order(isContent: isContent))
    #expect(stub.requests.map(\.deadlines.total) == [.seconds(4)])
  }

  @Test(arguments: [true, false]) func whoIsCancelledBeforeItBeginsHasNothingMade(_ isContent: Bool) async throws {
    let clock = TestClock(advancesAutomatically: true)
    let encoder = SlowEncoder(clock)
    let stub = TransportStub { _ in .json("[]") }
    let client = client(stub, clock: clock) { $0.encoder = encoder }
    let task = Task { () -> HTTPError? in
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () async throws(HTTPError) in try await client.response(to: Order(isContent: isContent)) }
    }
    let error = await task.value
    #expect(error?.kind == .cancelled && error?.delivery == .notSent && error?.request == "PUT /orders")
    #expect(stub.requests.isEmpty && encoder.count == 0)
  }

  @Test func cancellingEndsAWait() async throws {
    let clock = TestClock()
    let stub = TransportStub { _ in .status(503) }
    let client = client(stub, clock: clock)
    let task = Task {
      await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/x")) }
    }
    await clock.waitForSleepers(1)
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(await task.value?.delivery == .responded)
    #expect(stub.requests.count == 1)
  }

  @Test func aStreamThatCannotBeMadeAgainIsSentOnce() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .reset] }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    func attempts(isReplayable: Bool) async -> Int? {
      await failure { () async throws(HTTPError) in
        let body = RequestBody.stream(type: "x/y", isReplayable: isReplayable) {
          AsyncStream<Data> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
          }
        }
        try await client.request(Endpoint<Void>.put("/x", body: body))
      }?.attempts
    }
    #expect(await attempts(isReplayable: false) == 1)
    #expect(await attempts(isReplayable: true) == 3)
    #expect(server.requests.map(\.body) == Array(repeating: Data("abc".utf8), count: 4))
  }

  @Test func streamedBodies() async throws {
    let lines = (0..<20_000).map { "{\"line\": \($0)}\n" }.joined()
    let server = try ScriptedServer { number in
      number == 0
        ? [.receiveRequest, .send(Wire.json("{}", status: "502 No", headers: ["Connection: close"]))]
        : [.receiveRequest, .send(Wire.response(lines)), .restart]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    let response = try await client.stream(.get("/lines"))
    var text = Data()
    for try await piece in response.body { text += piece }
    #expect(text == Data(lines.utf8))
    #expect(response.body.metrics.bodyBytes == Int64(text.count))
  }

  @Test func reportsOfEachExchange() async throws {
    let reports = Mutex<[RequestReport]>([])
    let stub = TransportStub { request in request.url.path() == "/well" ? .json("[]") : .status(404) }
    let client = client(stub) { $0.metrics = { report in reports.withLock { $0.append(report) } } }
    _ = try await client.response(to: Endpoint<Void>.get("/well"))
    _ = await failure { () async throws(HTTPError) in try await client.response(to: Endpoint<Void>.get("/\("ill")")) }
    let seen = reports.withLock { $0 }
    #expect(seen.map(\.name) == ["GET /well", "GET /{}"])
    #expect(seen.map(\.status) == [200, 404])
    #expect(seen.map { $0.error?.kind } == [nil, .unacceptableStatus(404)])
  }

  @Test func aPortalsAnswerToADeletionIsNoDeletion() async throws {
    let stub = TransportStub { _ in .text("<html>", type: "text/html") }
    let error = await failure { () async throws(HTTPError) in
      try await client(stub).request(Endpoint<Void>.delete("/x"))
    }
    #expect(error?.kind == .notJSON(mediaType: "text/html"))
    try await client(stub).request(Endpoint<Void>.get("/page").with { $0.headers["Accept"] = "text/html" })
    try await client(TransportStub { _ in .status(204) }).request(Endpoint<Void>.delete("/x"))
  }

  @Test(arguments: [
    ("application/json", true), ("application/vnd.api+json; charset=utf-8", true), ("text/plain", true), ("", true),
    ("TEXT/HTML", false), ("application/xhtml+xml", false),
  ]) func mediaTypesOfJSON(_ type: String, _ isJSON: Bool) async throws {
    let stub = TransportStub { _ in
      .init(headers: type.isEmpty ? [:] : ["Content-Type": type], body: Data(" [\"a\"]".utf8))
    }
    let client = client(stub)
    if isJSON {
      #expect(try await client.request(Endpoint<[String]>.get("/x")) == ["a"])
    } else {
      let error = await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/x")) }
      #expect(error?.kind == .notJSON(mediaType: type.lowercased()))
    }
  }

  @Test func whatTheServerCallsThingsIsNotTold() async throws {
    struct Account: Decodable {
      var name: String
      var limits: [String: Int]
      var numbers: [Int: String]?
    }
    struct Free: Decodable {
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
      }
    }
    func path<Value: Decodable & SendableMetatype>(_ body: String, _ type: Value.Type) async -> String? {
      let stub = TransportStub { _ in .json(body) }
      let error = await failure { () async throws(HTTPError) in try await client(stub).request(.get("/x"), as: type) }
      guard case .undecodable(let path) = error?.kind else { return nil }
      #expect(error?.description.contains("SECRET") == false && error?.description.contains("\n") == false)
      #expect(error?.underlying is DecodingError)
      return path
    }
    #expect(await path(#"[{"name": "a", "limits": {"SECRET\n": "no"}}]"#, [Account].self) == "[0].limits.…")
    #expect(await path(#"[{"name": "a", "limits": {}, "numbers": {"4111": 1}}]"#, [Account].self) == "[0].numbers.…")
    #expect(await path(#"[{"name": "a", "limits": {}}, {"name": "a"}]"#, [Account].self) == "[1].limits")
    #expect(await path(#"{"SECRET": "no"}"#, Free.self) == "…")
    #expect(await path(#"{"a": [{"name": 1}]}"#, [String: [Account]].self) == "…[0].name")
  }

  @Test func anotherOriginIsNotGivenTheClientsSecrets() throws {
    let client = client(TransportStub { _ in .json("[]") }) { configuration in
      configuration.headers["Authorization"] = "Bearer secret"
      configuration.headers["Cookie"] = "a=b"
      configuration.headers["X-Key"] = "secret"
      configuration.headers["X-Other"] = "o"
      configuration.secretHeaders = ["x-key"]
    }
    func fields(_ base: String?, own: HTTPHeaders = [:]) throws -> HTTPHeaders {
      try client.makeRequest(
        Endpoint<Void>.get("/x").with {
          $0.baseURL = base.flatMap { URL(string: $0) }
          $0.headers = own
        }
      ).headers
    }
    for base in ["https://other.example.org", "https://api.example.org:8443", "http://api.example.org"] {
      let headers = try fields(base)
      #expect(headers["Authorization"] == nil && headers["Cookie"] == nil && headers["X-Key"] == nil, "\(base)")
      #expect(headers["X-Other"] == "o" && headers["Accept"] == "application/json")
      // What the endpoint itself says is meant for where it says.
      #expect(try fields(base, own: ["Authorization": "Bearer own"])["Authorization"] == "Bearer own")
    }
    for base in [nil, "https://API.example.org:443/v2"] {
      let headers = try fields(base)
      #expect(headers["Authorization"] == "Bearer secret" && headers["Cookie"] == "a=b" && headers["X-Key"] == "secret")
    }
  }

  @Test(arguments: [(204, "application/json"), (200, "application/json"), (201, "text/html"), (200, "")])
  func anEmptyAnswerIsNoPortal(_ status: Int, _ type: String) async throws {
    let client = client(TransportStub { _ in .status(status, headers: type.isEmpty ? [:] : ["Content-Type": type]) })
    let error = await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/x")) }
    if case .notJSON = error?.kind { Issue.record("a portal's page") }
    #expect(error?.description.contains("the answer is empty") == true)
    #expect(error?.description.contains("sign in") == false && error?.attempts == 1)
    // Nothing is a value of these.
    #expect(try await client.request(Endpoint<[String]?>.get("/x")) == .some(nil))
    let count: Int? = try await client.request(Endpoint<Int?>.get("/x"))
    #expect(count == nil)
    try await client.request(Endpoint<Void>.get("/x"))
  }

  @Test func whatASystemShowsOfAnError() {
    var error = HTTPError(.unacceptableStatus(404), delivery: .responded, status: 404)
    error.request = "GET /x/{}"
    let shown: any Error = error
    #expect(shown.localizedDescription == error.description && error.description.hasSuffix(error.advice))
    #expect((shown as? any LocalizedError)?.recoverySuggestion == error.advice)
    #expect((shown as? any LocalizedError)?.failureReason == error.kind.summary)
  }

  @Test func anErrorTellsWhatTheServerSaidAndKeepsItToItself() async throws {
    let stub = TransportStub { _ in
      .text(#"{"title": "SECRET", "detail": "jane@example.org"}"#, type: "application/problem+json", status: 422)
    }
    let client = HTTPClient(baseURL: URL(string: "https://h/base")!, transport: stub)
    let error = await failure { () async throws(HTTPError) in
      try await client.request(
        Endpoint<Void>.get("/users/\("jane")", query: [URLQueryItem(name: "q", value: "SECRET")]))
    }
    #expect(error?.problem?.title == "SECRET")
    #expect(error?.body.isEmpty == false)
    let text = try #require(error?.description)
    #expect(text == "GET /users/{}: refused with status 422. Correct what is sent; sending the same again fails again.")
  }
}
