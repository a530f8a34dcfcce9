import Foundation
import LarderSupport
import LarderTesting
import Synchronization
import Testing

@testable import LarderHTTP

/// One thing at a time is asked of a source, and nothing waits for itself.
@Suite(.timeLimit(.minutes(2))) struct RefreshTurnTests {
  private let get = Endpoint<[String]>.get("/things")

  /// Asks by a client that is given later: the one that waits for the token.
  private final class Entangled: BearerTokenSource {
    private let known = Mutex<HTTPClient?>(nil)
    let authentication: EndpointAuthentication
    let isStored: Bool
    let later = Gate()
    let done = Gate()

    init(_ authentication: EndpointAuthentication, isStored: Bool = true) {
      self.authentication = authentication
      self.isStored = isStored
    }

    var client: HTTPClient? {
      get { known.withLock { $0 } }
      set { known.withLock { $0 = newValue } }
    }

    private func ask(_ path: EndpointPath, _ authentication: EndpointAuthentication) async throws {
      _ = try await client?.request(Endpoint<[String]>.post(path).with { $0.authentication = authentication })
    }

    func token() async throws -> BearerToken? {
      if !isStored { try await ask("/token", authentication) }
      return BearerToken("t0")
    }

    func refresh(_ old: BearerToken) async throws -> BearerToken {
      // What it begins and does not wait for is none of it, when it has ended.
      Task {
        await later.wait()
        try await ask("/later", .client)
        done.open()
      }
      try await ask("/token", authentication)
      return BearerToken("t1")
    }
  }

  @Test(arguments: [true, false]) func aRefreshThatWaitsForItself(_ isStored: Bool) async throws {
    let source = Entangled(.client, isStored: isStored)
    let stub = TransportStub.accepting { _ in false }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    source.client = client
    for _ in 0..<5 {
      let error = try #require(await failure { () async throws(HTTPError) in try await client.request(get) })
      #expect(error.kind == .credentialsUnavailable && error.delivery == .notSent && bearer.state == .ready)
      #expect((error.underlying as? HTTPError)?.kind == .invalidRequest(.recursiveAuthentication))
      #expect(
        error.description == """
          GET /things: the credentials could not be got: POST /token: the request cannot be sent (it gets the \
          credentials that it would wait for). Give the endpoint that gets the credentials the authentication .none, or \
          ask by a client that has none. The request itself was not acted upon.
          """)
    }
    #expect(stub.requests.count == (isStored ? 1 : 0))
  }

  @Test func aRefreshByTheSameClient() async throws {
    let source = Entangled(.none)
    let stub = TransportStub { request in
      request.url.path() == "/v1/token" || request.headers["Authorization"] == "Bearer t1" ? .json("[]") : .status(401)
    }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    source.client = client
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t0", nil, "Bearer t1"])
    // Nor is what was begun meanwhile held back afterwards, while another refresh is on its way.
    await bearer.signIn(with: BearerToken("stale"))
    source.later.open()
    await source.done.wait()
    #expect(stub.tokens.last == "Bearer t1")
  }

  /// A source that signs out within its own work does not wait for its own end.
  @Test func signingOutWithinARefresh() async throws {
    let bearer = Mutex<BearerAuthentication?>(nil)
    let source = CountingSource { _ in
      await bearer.withLock { $0 }?.signOut()
      throw CredentialsRejectedError()
    }
    let own = BearerAuthentication(source)
    bearer.withLock { $0 = own }
    let client = HTTPClient.authenticated(.bearer(own), by: TransportStub.accepting { _ in false })
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .needsSignIn)
    bearer.withLock { $0 = nil }
  }

  /// Stores what it was given, also when it is cancelled, and late.
  private final class Stubborn: BearerTokenSource {
    let vault = Mutex<[String]>([])
    let asked = Gate()
    let answered = Gate()
    let count = Mutex(0)
    let most = Mutex((now: 0, most: 0))

    func token() async throws -> BearerToken? { BearerToken("t0", lifetime: .zero) }

    func refresh(_ old: BearerToken) async throws -> BearerToken {
      most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { most.withLock { $0.now -= 1 } }
      let number = count.withLock { count in
        count += 1
        return count
      }
      asked.open()
      await answered.wait()
      vault.withLock { $0.append("r\(number)") }
      return BearerToken("t\(number)")
    }
  }

  @Test func whatComesAfterSigningOutIsNotKept() async throws {
    let source = Stubborn()
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let call = Task { () async throws(HTTPError) in try await client.request(get) }
    await source.asked.wait()
    let out = Task {
      await bearer.signOut()
      source.vault.withLock { $0 = [] }
    }
    // Whoever waits is told at once.
    let error = await #expect(throws: HTTPError.self) { try await call.value }
    #expect(error?.kind == .needsSignIn && error?.delivery == .notSent)
    source.answered.open()
    await out.value
    try await until { source.most.withLock { $0.now } == 0 }
    #expect(source.vault.withLock { $0 } == [])
    await #expect(throws: HTTPError.self) { try await client.request(get) }
    #expect(stub.requests.isEmpty && source.count.withLock { $0 } == 1)
  }

  @Test func whatComesAfterSigningInIsNotKept() async throws {
    let source = Stubborn()
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let call = Task { () async throws(HTTPError) in try await client.request(get) }
    await source.asked.wait()
    let signing = Task {
      try await bearer.signIn(with: BearerToken("new"), asSameUser: true) { source.vault.withLock { $0 = ["new"] } }
    }
    try await until { bearer.credentials.withLock { $0.inFlightRefresh?.isSignIn == true } }
    source.answered.open()
    try await signing.value
    // Whoever waited for the old token is given the new one.
    _ = try await call.value
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer new", "Bearer new"] && source.vault.withLock { $0 } == ["new"])

    // Where it cannot be kept, nobody is signed in.
    struct Full: Error {}
    await #expect(throws: Full.self) { try await bearer.signIn(with: BearerToken("other")) { throw Full() } }
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .needsSignIn && error?.delivery == .notSent && error?.underlying is Full)
    #expect(bearer.state == .needsSignIn && stub.requests.count == 2 && source.count.withLock { $0 } == 1)
    try await bearer.signIn(with: BearerToken("third")) {}
    _ = try await client.request(get)
    #expect(stub.tokens.last == "Bearer third")
  }

  /// After a sign-in the source is asked when it has ended what it was asked before.
  @Test func oneAtATime() async throws {
    let source = Stubborn()
    let stub = TransportStub.accepting { $0 == "t2" }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let first = Task { () async throws(HTTPError) in try await client.request(get) }
    await source.asked.wait()
    let signing = Task { await bearer.signIn(with: BearerToken("refused"), asSameUser: true) }
    // The first is sent with the new token, which is refused: it waits for its turn.
    try await until { bearer.waiting == 1 && stub.requests.count == 1 }
    #expect(source.count.withLock { $0 } == 1)
    source.answered.open()
    _ = try await first.value
    await signing.value
    #expect(stub.tokens == ["Bearer refused", "Bearer t2"] && source.most.withLock { $0.most } == 1)
  }

  /// One that was cancelled stays the only one until it has ended; who comes meanwhile waits for the next.
  @Test func anAbandonedRefreshIsWaitedFor() async throws {
    let (cancelled, ended) = (Gate(), Gate())
    let most = Mutex((now: 0, most: 0))
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { number in
      most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { most.withLock { $0.now -= 1 } }
      if number > 1 { return BearerToken("t\(number)") }
      await withTaskCancellationHandler {
        await ended.wait()
      } onCancel: {
        cancelled.open()
      }
      throw CancellationError()
    }
    let stub = TransportStub { _ in .json("[]") }
    let clock = TestClock()
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    let first = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 1 }
    first.cancel()
    await #expect(throws: HTTPError.self) { try await first.value }
    await clock.waitForSleepers(1)
    clock.advance(by: BearerAuthentication.abandonedRefreshLimit)
    await cancelled.wait()
    let second = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 1 }
    #expect(source.refreshed.count == 1)
    ended.open()
    _ = try await second.value
    #expect(stub.tokens == ["Bearer t2"] && source.refreshed.count == 2 && most.withLock { $0.most } == 1)
  }

  /// One that is cancelled while it waits for its turn asks nothing, and so has lost no answer.
  @Test func aRefreshThatIsCancelledBeforeItsTurn() async throws {
    let (asked, ended) = (Gate(), Gate())
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero), rotates: true) { number in
      asked.open()
      await ended.wait()
      try Task.checkCancellation()
      return BearerToken("t\(number)")
    }
    let stub = TransportStub.accepting { $0.hasPrefix("t") }
    let clock = TestClock()
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    let first = Task { () async throws(HTTPError) in try await client.request(get) }
    await asked.wait()
    let signing = Task { await bearer.signIn(with: BearerToken("refused")) }
    await #expect(throws: HTTPError.self) { try await first.value }
    let second = Task { () async throws(HTTPError) in try await client.request(get) }
    try await until { bearer.waiting == 1 }
    second.cancel()
    await #expect(throws: HTTPError.self) { try await second.value }
    await clock.waitForSleepers(1)
    clock.advance(by: BearerAuthentication.abandonedRefreshLimit)
    try await until { bearer.credentials.withLock { $0.inFlightRefresh?.isCancelled == true } }
    ended.open()
    await signing.value
    try await until { bearer.waiting == nil }
    #expect(source.refreshed == ["t0"] && bearer.state == .ready)
    _ = try await client.request(get)
    #expect(source.refreshed == ["t0", "refused"] && stub.tokens == ["Bearer refused", "Bearer t2"])
  }

  /// Whoever joins a refresh that nobody waited for ends the count of its time.
  @Test func joiningAnAbandonedRefresh() async throws {
    let (answered, cancelled) = (Gate(), Gate())
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { number in
      await withTaskCancellationHandler {
        await answered.wait()
      } onCancel: {
        cancelled.open()
      }
      return BearerToken("t\(number)")
    }
    let clock = TestClock()
    let bearer = BearerAuthentication(source, clock: clock)
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    for _ in 0..<3 {
      let call = Task { () async throws(HTTPError) in try await client.request(get) }
      try await until { bearer.waiting == 1 }
      call.cancel()
      await #expect(throws: HTTPError.self) { try await call.value }
      await clock.waitForSleepers(1)
      // Together it is longer than the limit, and never at a time.
      clock.advance(by: BearerAuthentication.abandonedRefreshLimit - .seconds(1))
    }
    #expect(!cancelled.isOpen && bearer.credentials.withLock { $0.inFlightRefresh?.isCancelled } == false)
    clock.advance(by: .seconds(1))
    await cancelled.wait()
    answered.open()
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t1"] && source.refreshed.count == 1)
  }

  /// However short a deadline is, it ends the wait that it is of: the first, which sends for the token, and those that join.
  @Test func shortDeadlines() async throws {
    let ended = Gate()
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      await ended.wait()
      return BearerToken("t1")
    }
    let bearer = BearerAuthentication(source)
    let wait = { @Sendable () async -> HTTPError.Kind? in
      await failure { () async throws(HTTPError) in
        try await bearer.usableToken(login: bearer.loginID, within: .nanoseconds(1))
      }?.kind
    }
    for _ in 0..<1_000 { #expect(await wait() == .deadline(.total)) }
    await withTaskGroup(of: HTTPError.Kind?.self) { group in
      for _ in 0..<1_000 { group.addTask { await wait() } }
      for await kind in group { #expect(kind == .deadline(.total)) }
    }
    #expect(source.refreshed.count == 1)
    ended.open()
  }

  /// What no clock can wait for is a deadline all the same.
  @Test func aDeadlineWithoutAnEnd() async throws {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      try await Task.sleep(for: .milliseconds(20))
      return BearerToken("t1")
    }
    let bearer = BearerAuthentication(source)
    let token = try await bearer.usableToken(login: bearer.loginID, within: .seconds(Int64.max))
    #expect(token.token.value == "t1")
  }
}
