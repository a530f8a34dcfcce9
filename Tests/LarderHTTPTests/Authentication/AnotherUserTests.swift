import Foundation
import LarderSupport
import LarderTesting
import Testing

@testable import LarderHTTP

/// What one user asks for is not done in the name of another.
@Suite(.timeLimit(.minutes(2))) struct AnotherUserTests {
  private let order = Endpoint<[String]>.post("/orders", body: .json(["of": "a"]))

  /// How another user comes to be signed in.
  enum Change: CaseIterable, Sendable {
    case signingIn, keeping, signingOutAndIn, signingOutAndInAsTheSame

    func make(_ bearer: BearerAuthentication) async throws {
      switch self {
      case .signingIn: await bearer.signIn(with: BearerToken("b"))
      case .keeping: try await bearer.signIn(with: BearerToken("b")) {}
      case .signingOutAndIn:
        await bearer.signOut()
        await bearer.signIn(with: BearerToken("b"))
      case .signingOutAndInAsTheSame:
        await bearer.signOut()
        try await bearer.signIn(with: BearerToken("b"), asSameUser: true) {}
      }
    }
  }

  /// - Parameter delivery: Of the attempts before; nothing is sent in the name of the other user.
  private func expectUnsent(
    _ call: Task<[String], any Error>, after delivery: HTTPError.Delivery = .notSent,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: HTTPError.self, sourceLocation: location) { try await call.value }
    #expect(error?.kind == .needsSignIn && error?.delivery == delivery, sourceLocation: location)
    #expect(error?.underlying is UserChangedError, sourceLocation: location)
    let advice = delivery == .notSent ? "in their name alone" : "ask it in their name"
    #expect(error?.advice.contains(advice) == true, sourceLocation: location)
  }

  /// A server that tells of the first token, and refuses it once somebody else has signed in.
  private static func refusing(_ sent: Gate, _ changed: Gate) -> TransportStub {
    TransportStub { request in
      guard request.headers["Authorization"] == "Bearer t0" else { return .json("[]") }
      sent.open()
      await changed.wait()
      return .status(401)
    }
  }

  /// It is on the wire when another user signs in, and is refused then.
  @Test(arguments: Change.allCases) func aReplay(_ change: Change) async throws {
    let (sent, changed) = (Gate(), Gate())
    let stub = Self.refusing(sent, changed)
    let bearer = BearerAuthentication(CountingSource())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let call = Task { try await client.request(order) }
    await sent.wait()
    try await change.make(bearer)
    changed.open()
    await expectUnsent(call)
    #expect(stub.tokens == ["Bearer t0"] && bearer.state == .ready)
    // What is asked for from then on is of the one who has signed in.
    _ = try await client.request(order)
    #expect(stub.tokens.last == "Bearer b")
  }

  /// It is between two attempts then.
  @Test(arguments: Change.allCases) func aRetry(_ change: Change) async throws {
    let bearer = BearerAuthentication(CountingSource())
    let stub = TransportStub { (request) async throws(HTTPError) in
      guard request.headers["Authorization"] == "Bearer t0" else { return .json("[]") }
      do { try await change.make(bearer) } catch { Issue.record(error) }
      return .status(503)
    }
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: TestClock(advancesAutomatically: true))
    await expectUnsent(Task { try await client.request(Endpoint<[String]>.get("/orders")) }, after: .maybeSent)
    #expect(stub.tokens == ["Bearer t0"])
  }

  /// It waits for a token then.
  @Test(arguments: [Change.signingIn, .keeping], [true, false])
  func aWait(_ change: Change, _ isRefused: Bool) async throws {
    let source = CountingSource(stored: BearerToken("t0", lifetime: isRefused ? nil : .zero)) { _ in
      try await Task.sleep(for: .seconds(3_600))
      return BearerToken("late")
    }
    let stub = TransportStub.accepting { $0 == "b" }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let call = Task { try await client.request(order) }
    try await until { bearer.waiting == 1 && source.refreshed == ["t0"] }
    try await change.make(bearer)
    await expectUnsent(call)
    #expect(stub.tokens == (isRefused ? ["Bearer t0"] : []))
  }

  /// Who has to sign in again goes on with what was on its way.
  @Test(arguments: [true, false]) func theSameUser(_ isKept: Bool) async throws {
    let (sent, changed) = (Gate(), Gate())
    let stub = Self.refusing(sent, changed)
    let source = CountingSource()
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let call = Task { try await client.request(order) }
    await sent.wait()
    if isKept {
      try await bearer.signIn(with: BearerToken("a"), asSameUser: true) {}
    } else {
      await bearer.signIn(with: BearerToken("a"), asSameUser: true)
    }
    changed.open()
    _ = try await call.value
    #expect(stub.tokens == ["Bearer t0", "Bearer a"] && source.refreshed.isEmpty)
  }

  private struct Full: Error {}

  /// What cannot be kept signs nobody in, and the former user does not go on: the source would read what is stored of them.
  @Test(arguments: [true, false]) func whatCannotBeKept(_ isSame: Bool) async throws {
    let (begun, failing) = (Gate(), Gate())
    let source = CountingSource()
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    _ = try await client.request(order)
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b"), asSameUser: isSame) {
        begun.open()
        await failing.wait()
        throw Full()
      }
    }
    await begun.wait()
    let call = Task { try await client.request(order) }
    try await until { bearer.waiting == 1 }
    failing.open()
    await #expect(throws: Full.self) { try await signing.value }
    let waited = await #expect(throws: HTTPError.self) { try await call.value }
    #expect(waited?.kind == .needsSignIn && waited?.delivery == .notSent && waited?.underlying is Full)
    let later = await failure { () async throws(HTTPError) in try await client.request(order) }
    #expect(later?.kind == .needsSignIn && later?.underlying is Full && bearer.state == .needsSignIn)
    #expect(stub.tokens == ["Bearer t0"] && source.loads == 1)
  }

  /// Whoever signs in may be cancelled, and is signed out before it has ended.
  @Test(arguments: [true, false]) func whoIsCancelled(_ isSignedOut: Bool) async throws {
    let begun = Gate()
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(CountingSource())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b")) {
        begun.open()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    await begun.wait()
    let call = Task { try await client.request(order) }
    try await until { bearer.waiting == 1 }
    if isSignedOut { await bearer.signOut() } else { signing.cancel() }
    await #expect(throws: CancellationError.self) { try await signing.value }
    let error = await #expect(throws: HTTPError.self) { try await call.value }
    #expect(error?.kind == .needsSignIn && error?.delivery == .notSent)
    #expect(bearer.state == .needsSignIn && stub.requests.isEmpty)
  }

  /// What was kept all the same is of nobody who is signed in: whoever signed out removes it.
  @Test func signingOutWhileSomethingIsKept() async throws {
    let (begun, ending, kept) = (Gate(), Gate(), Gate())
    let bearer = BearerAuthentication(CountingSource())
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b")) {
        begun.open()
        await ending.wait()
        kept.open()
      }
    }
    await begun.wait()
    let out = Task {
      await bearer.signOut()
      return kept.isOpen
    }
    try await until { bearer.state == .needsSignIn }
    ending.open()
    await #expect(throws: CancellationError.self) { try await signing.value }
    #expect(await out.value && bearer.state == .needsSignIn)
  }

  /// Who is cancelled before his turn stores nothing.
  @Test func whoIsCancelledBeforeHisTurn() async throws {
    let (asked, ended, kept) = (Gate(), Gate(), Gate())
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in
      asked.open()
      await ended.wait()
      return BearerToken("late")
    }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: TransportStub { _ in .json("[]") })
    let call = Task { try await client.request(order) }
    await asked.wait()
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b")) { kept.open() }
    }
    await expectUnsent(call)
    signing.cancel()
    ended.open()
    await #expect(throws: CancellationError.self) { try await signing.value }
    #expect(!kept.isOpen && bearer.state == .needsSignIn)
  }

  /// Where nobody was signed in, what is asked for while somebody signs in is theirs, and waits for that.
  @Test(arguments: [true, false]) func whatIsAskedForDuringASignIn(_ isKept: Bool) async throws {
    let (begun, ending) = (Gate(), Gate())
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(CountingSource())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    await bearer.signOut()
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b")) {
        // What keeps it would wait for itself.
        let own = await failure { () async throws(HTTPError) in try await client.request(order) }
        #expect(own?.kind == .invalidRequest(.recursiveAuthentication))
        begun.open()
        await ending.wait()
        if !isKept { throw Full() }
      }
    }
    await begun.wait()
    let call = Task { try await client.request(order) }
    try await until { bearer.waiting == 1 }
    #expect(bearer.state == .needsSignIn && stub.requests.isEmpty)
    ending.open()
    if isKept {
      try await signing.value
      _ = try await call.value
      #expect(stub.tokens == ["Bearer b"] && bearer.state == .ready)
    } else {
      await #expect(throws: Full.self) { try await signing.value }
      let error = await #expect(throws: HTTPError.self) { try await call.value }
      #expect(error?.kind == .needsSignIn && error?.delivery == .notSent && error?.underlying is Full)
      #expect(stub.requests.isEmpty && bearer.state == .needsSignIn)
    }
  }

  /// A request that waits for whoever signs in does not end that when it is cancelled.
  @Test func whoeverWaitsForASignIn() async throws {
    let (begun, ending) = (Gate(), Gate())
    let clock = TestClock()
    let bearer = BearerAuthentication(CountingSource(), clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: TransportStub { _ in .json("[]") }, clock: clock)
    let signing = Task {
      try await bearer.signIn(with: BearerToken("b")) {
        begun.open()
        await ending.wait()
        try Task.checkCancellation()
      }
    }
    await begun.wait()
    let call = Task { try await client.request(order) }
    try await until { bearer.waiting == 1 }
    call.cancel()
    await #expect(throws: HTTPError.self) { try await call.value }
    #expect(bearer.credentials.withLock { $0.inFlightRefresh?.abandonmentTimer == nil })
    ending.open()
    try await signing.value
    #expect(bearer.state == .ready)
  }
}
