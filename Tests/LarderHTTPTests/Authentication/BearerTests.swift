import Foundation
import LarderSupport
import LarderTesting
import Testing

@testable import LarderHTTP

@Suite(.timeLimit(.minutes(2))) struct BearerTests {
  private let get = Endpoint<[String]>.get("/things")

  @Test func theTokenAtHandIsSent() async throws {
    let source = CountingSource()
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    for _ in 0..<3 { _ = try await client.request(get) }
    #expect(stub.tokens == ["Bearer t0", "Bearer t0", "Bearer t0"])
    #expect(source.loads == 1 && source.refreshed.isEmpty)
  }

  /// Once more, with the same bytes and the same key; no attempt of the retries, and no wait.
  @Test func whatIsRefusedIsReplayed() async throws {
    let source = CountingSource()
    let stub = TransportStub.accepting { $0 == "t1" }
    let clock = TestClock()
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub, clock: clock) {
      $0.retry = .never
    }
    let post = Endpoint<[String]>.post("/things", body: .json(["a": 1])).with { $0.idempotencyKey = "key" }
    let response = try await client.response(to: post)
    #expect(stub.tokens == ["Bearer t0", "Bearer t1"] && source.refreshed == ["t0"])
    #expect(stub.requests.map { $0.headers["Idempotency-Key"] } == ["key", "key"])
    #expect(stub.requests.map { $0.body?.length } == [7, 7])
    #expect(response.metrics.attempts == 1 && clock.sleeps.isEmpty)
  }

  @Test func streamsAndDownloadsAreReplayed() async throws {
    let stub = TransportStub.accepting { $0 == "t1" || $0 == "t2" }
    let bearer = BearerAuthentication(CountingSource())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let streamed = try await client.stream(get)
    #expect(try await streamed.body.collect() == Data("[]".utf8))
    await bearer.signIn(with: BearerToken("stale"))
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try await client.download(get, to: file)
    #expect(try Data(contentsOf: file) == Data("[]".utf8))
    #expect(stub.tokens == ["Bearer t0", "Bearer t1", "Bearer stale", "Bearer t2"])
  }

  @Test func aSecondRefusalIsTheAnswer() async throws {
    let source = CountingSource()
    let stub = TransportStub.accepting { _ in false }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .unauthorized && error?.status == 401 && error?.attempts == 1)
    #expect(stub.requests.count == 2 && source.refreshed.count == 1)
  }

  /// One replay for each call, and not for each of its attempts.
  @Test func aRetryHasNoReplayOfItsOwn() async throws {
    let source = CountingSource()
    let bearer = BearerAuthentication(source)
    let stub = TransportStub { (request) async throws(HTTPError) in
      guard request.headers["Authorization"] == "Bearer t1" else { return .status(401) }
      await bearer.signIn(with: BearerToken("other"), asSameUser: true)
      return .status(503)
    }
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: TestClock(advancesAutomatically: true))
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(stub.tokens == ["Bearer t0", "Bearer t1", "Bearer other"])
    #expect(error?.kind == .unauthorized && error?.attempts == 2 && source.refreshed == ["t0"])
  }

  /// What was refused is older than the token at hand: it is sent with that one, and nobody is asked.
  @Test func aStaleTokenNeedsNoRefresh() async throws {
    let source = CountingSource()
    let gate = Gate()
    let stub = TransportStub { (request) async throws(HTTPError) in
      if request.url.path().hasSuffix("slow"), request.headers["Authorization"] == "Bearer t0" { await gate.wait() }
      return request.headers["Authorization"] == "Bearer t1" ? .json("[]") : .status(401)
    }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    async let slow = client.request(Endpoint<[String]>.get("/slow"))
    try await until { stub.requests.count == 1 }
    _ = try await client.request(get)
    gate.open()
    _ = try await slow
    #expect(stub.tokens == ["Bearer t0", "Bearer t0", "Bearer t1", "Bearer t1"])
    #expect(source.refreshed == ["t0"])
  }

  @Test func aBodyThatGoesOnceIsNotReplayed() async throws {
    let source = CountingSource()
    let stub = TransportStub.accepting { $0 == "t1" }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    let once = RequestBody.stream(type: "x/y") { AsyncStream<Data> { $0.finish() } }
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<[String]>.put("/things", body: once))
    }
    #expect(error?.kind == .unauthorized && stub.requests.count == 1 && source.refreshed.isEmpty)
    // One that can be made again is.
    let again = RequestBody.stream(type: "x/y", isReplayable: true) { AsyncStream<Data> { $0.finish() } }
    _ = try await client.request(Endpoint<[String]>.put("/things", body: again))
    #expect(stub.requests.count == 3)
  }

  @Test(
    arguments: [
      // A lifetime, and from when on its token is refreshed first: 30 s before its end, and at half of a short one.
      (100, 70), (10, 5),
    ]) func whatExpiresIsRefreshedBefore(_ lifetime: Int, _ due: Int) async throws
  {
    let clock = TestClock()
    let source = CountingSource(stored: BearerToken("t0", lifetime: .seconds(lifetime)))
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source, clock: clock)), by: stub, clock: clock)
    _ = try await client.request(get)
    clock.advance(by: .seconds(due) - .nanoseconds(1))
    _ = try await client.request(get)
    #expect(source.refreshed.isEmpty)
    clock.advance(by: .nanoseconds(1))
    for _ in 0..<2 { _ = try await client.request(get) }
    #expect(stub.tokens == ["Bearer t0", "Bearer t0", "Bearer t1", "Bearer t1"] && source.refreshed == ["t0"])
  }

  @Test func aStoredTokenThatHasExpiredIsNotSent() async throws {
    let source = CountingSource(stored: BearerToken("old", lifetime: .zero))
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t1"] && source.refreshed == ["old"])
  }

  /// Where a server gives out what has expired by this clock, that is sent, and not refreshed for ever.
  @Test func aNewTokenThatHasExpiredIsSent() async throws {
    let source = CountingSource { BearerToken("t\($0)", lifetime: .seconds(-5)) }
    let stub = TransportStub.accepting { $0 == "t1" }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    for _ in 0..<5 { _ = try await client.request(get) }
    #expect(source.refreshed == ["t0"])
  }

  /// Whoever was refused with an older token finds one that has expired, and was not refused: another one is no help against
  /// a refusal.
  @Test func aLateRefusal() async throws {
    let clock = TestClock()
    let source = CountingSource(stored: BearerToken("t0", lifetime: .seconds(10)))
    let bearer = BearerAuthentication(source, refreshLimit: 1, clock: clock)
    _ = try await bearer.usableToken(login: bearer.loginID, within: nil)
    clock.advance(by: .seconds(10))
    let older = CachedToken(BearerToken("older"), id: -1, at: .zero, leeway: .zero)
    let newer = try await bearer.replacementToken(for: older, login: bearer.loginID, within: nil)
    #expect(newer.token.value == "t1" && !newer.isAfterRejection)
    // The one that is allowed is still to come.
    #expect(try await bearer.replacementToken(for: newer, login: bearer.loginID, within: nil).token.value == "t2")
  }

  /// The time goes on while something else is done with a token.
  @Test func aLifetimeBeginsWhenTheTokenIsMade() async throws {
    let old = BearerToken("old", lifetime: .seconds(3_600), now: Date(), createdAt: .now - .seconds(3_590))
    let stub = TransportStub { _ in .json("[]") }
    let source = CountingSource(stored: old)
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    await bearer.signIn(with: old)
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t1"] && source.refreshed == ["old"])
    // Also one that has ended on its way from where it is stored.
    let ended = CountingSource(
      stored: BearerToken("old", lifetime: .seconds(5), now: Date(), createdAt: .now - .seconds(6)))
    let other = HTTPClient.authenticated(.bearer(BearerAuthentication(ended)), by: stub)
    _ = try await other.request(get)
    #expect(stub.tokens == ["Bearer t1", "Bearer t1"] && ended.refreshed == ["old"])
  }

  @Test func theDeadlineIsOfTheWaitToo() async throws {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      try await Task.sleep(for: .seconds(3_600))
      throw CancellationError()
    }
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub) {
      $0.deadlines.total = .milliseconds(50)
    }
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .deadline(.total) && error?.delivery == .notSent && stub.requests.isEmpty)
  }

  @Test func cancelledWaiters() async throws {
    let gate = Gate()
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { number in
      await gate.wait()
      return BearerToken("t\(number)")
    }
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let first = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 1 }
    let second = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 2 }
    first.cancel()
    let error = await #expect(throws: HTTPError.self) { try await first.value }
    #expect(error?.kind == .cancelled && error?.delivery == .notSent)
    gate.open()
    _ = try await second.value
    #expect(stub.tokens == ["Bearer t1"] && source.refreshed.count == 1)
    // Whoever is cancelled before he asks does not begin one.
    let third = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await bearer.replacementToken(
        for: CachedToken(BearerToken("x"), id: .max, at: .zero, leeway: .zero), login: bearer.loginID, within: nil)
    }
    await #expect(throws: HTTPError.self) { try await third.value }
    #expect(source.refreshed.count == 1)
  }

  /// A refresh that nobody waits for has a while to end, and is then cancelled.
  @Test func anAbandonedRefresh() async throws {
    let ended = Gate()
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      do {
        try await Task.sleep(for: .seconds(3_600))
      } catch {
        ended.open()
      }
      return BearerToken("late")
    }
    let stub = TransportStub { _ in .json("[]") }
    let clock = TestClock()
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    let call = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 1 }
    call.cancel()
    await #expect(throws: HTTPError.self) { try await call.value }
    await clock.waitForSleepers(1)
    #expect(bearer.waiting == 0)
    clock.advance(by: BearerAuthentication.abandonedRefreshLimit)
    await ended.wait()
    // What it gives all the same is the token: the server has taken the old one back.
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer late"] && source.refreshed.count == 1)
  }

  /// Signing in ends the wait for a refresh.
  @Test func signingInWhileARefreshIsOnItsWay() async throws {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      try await Task.sleep(for: .seconds(3_600))
      return BearerToken("late")
    }
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    async let done = client.request(get)
    try await until { bearer.waiting == 1 }
    await bearer.signIn(with: BearerToken("new"), asSameUser: true)
    _ = try await done
    #expect(stub.tokens == ["Bearer new"])
    await bearer.signOut()
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .needsSignIn && stub.requests.count == 1)
  }
}

extension BearerAuthentication {
  /// How many wait for the token that is on its way; nil where none is.
  var waiting: Int? { credentials.withLock { $0.inFlightRefresh?.waiters.count } }
}
