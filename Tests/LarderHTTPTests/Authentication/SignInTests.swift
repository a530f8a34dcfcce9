import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// When the user is asked, and when not.
@Suite(.timeLimit(.minutes(2))) struct SignInTests {
  private let get = Endpoint<[String]>.get("/things")

  private struct Unknown: Error {}

  private static func invalidGrant(_ text: String) -> HTTPError {
    var error = HTTPError(.unacceptableStatus(400), delivery: .responded, status: 400)
    error.body = Data(#"{"error": "\#(text)"}"#.utf8)
    return error
  }

  @Test(
    arguments: [
      CredentialsRejectedError(), HTTPError(.unauthorized, delivery: .responded, status: 401),
      invalidGrant("invalid_grant"),
      HTTPError(.needsSignIn, delivery: .notSent),
    ] as [any Error]) func aRefreshThatIsRefused(_ refusal: any Error) async throws
  {
    let source = CountingSource { _ in throw refusal }
    let stub = TransportStub.accepting { $0 == "new" }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    var states = bearer.states.makeAsyncIterator()
    #expect(await states.next() == .ready && bearer.state == .ready)
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.kind == .needsSignIn && error?.delivery == .notSent && error?.attempts == 1)
    #expect(
      error?.description == """
        GET /things: needs to sign in: there are no credentials that the server accepts. Sign in; the request was not \
        acted upon, and can be kept until then.
        """)
    #expect(await states.next() == .needsSignIn && bearer.state == .needsSignIn)
    // Nothing is sent, and nobody asked, until then.
    for _ in 0..<5 {
      let error = await failure { () async throws(HTTPError) in try await client.request(get) }
      #expect(error?.kind == .needsSignIn && error?.delivery == .notSent)
    }
    #expect(stub.requests.count == 1 && source.refreshed.count == 1)
    await bearer.signIn(with: BearerToken("new"))
    #expect(await states.next() == .ready)
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t0", "Bearer new"])
  }

  @Test func whoIsNotSignedInAsksNothing() async throws {
    for stored in [nil, BearerToken("")] {
      let source = CountingSource(stored: stored)
      let stub = TransportStub { _ in .json("[]") }
      let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
      for _ in 0..<2 {
        let error = await failure { () async throws(HTTPError) in try await client.request(get) }
        #expect(error?.kind == .needsSignIn)
      }
      #expect(stub.requests.isEmpty && source.loads == 1 && source.refreshed.isEmpty)
    }
  }

  /// What fails for no known reason is tried again, but not for ever.
  @Test(arguments: [Unknown(), invalidGrant("invalid_request")] as [any Error])
  func aRefreshThatAlwaysFails(_ thrown: any Error) async throws {
    let source = CountingSource { _ in throw thrown }
    let stub = TransportStub.accepting { _ in false }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source, clock: TestClock())), by: stub)
    var kinds: [HTTPError.Kind?] = []
    for _ in 0..<6 { kinds.append(await failure { () async throws(HTTPError) in try await client.request(get) }?.kind) }
    let none = HTTPError.Kind.credentialsUnavailable
    #expect(kinds == [none, none, none, .needsSignIn, .needsSignIn, .needsSignIn])
    #expect(source.refreshed.count == 3 && stub.requests.count == 1)
  }

  /// A server that refuses each new token is not asked for ever; one that does so now and then is.
  @Test(arguments: [(19, true), (20, false)]) func storms(_ pause: Int, _ isStorm: Bool) async throws {
    let clock = TestClock()
    let source = CountingSource()
    let stub = TransportStub.accepting { _ in false }
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    var kinds: [HTTPError.Kind?] = []
    for _ in 0..<6 {
      kinds.append(await failure { () async throws(HTTPError) in try await client.request(get) }?.kind)
      clock.advance(by: .seconds(pause))
    }
    if isStorm {
      #expect(kinds == [.unauthorized, .unauthorized, .unauthorized, .needsSignIn, .needsSignIn, .needsSignIn])
      // Two for each of three, and one of the fourth.
      #expect(source.refreshed.count == 3 && stub.requests.count == 7)
      await bearer.signIn(with: BearerToken("t9"))
      #expect(await failure { () async throws(HTTPError) in try await client.request(get) }?.kind == .unauthorized)
    } else {
      #expect(kinds.allSatisfy { $0 == .unauthorized })
      #expect(source.refreshed.count == 6)
    }
  }

  /// Tokens that expire soon are no storm.
  @Test func shortLivedTokens() async throws {
    let clock = TestClock()
    let source = CountingSource { BearerToken("t\($0)", lifetime: .seconds(2)) }
    let stub = TransportStub.accepting { $0 != "t0" }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source, clock: clock)), by: stub)
    for _ in 0..<20 {
      _ = try await client.request(get)
      clock.advance(by: .seconds(2))
    }
    #expect(source.refreshed.count == 20)
  }

  /// Somebody refuses one request whatever it shows, and others are served: the refusal is the answer, nobody is signed
  /// out, and no more tokens are made than the limit allows.
  @Test func anEndpointThatRefusesEverything() async throws {
    let clock = TestClock()
    let source = CountingSource { BearerToken("t\($0)", lifetime: .seconds(60)) }
    let stub = TransportStub { $0.url.path().hasSuffix("bad") ? .status(401) : .json("[]") }
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    let bad = Endpoint<[String]>.get("/bad")
    for _ in 0..<10 {
      #expect(await failure { () async throws(HTTPError) in try await client.request(bad) }?.kind == .unauthorized)
      _ = try await client.request(get)
    }
    #expect(source.refreshed.count == 3 && bearer.state == .ready && stub.requests.count == 10 + 3 + 10)
    // What expires is refreshed all the same, and after the window what is refused, too.
    clock.advance(by: .seconds(40))
    _ = try await client.request(get)
    #expect(source.refreshed.count == 4)
    clock.advance(by: .seconds(20))
    #expect(await failure { () async throws(HTTPError) in try await client.request(bad) }?.kind == .unauthorized)
    #expect(source.refreshed.count == 5 && bearer.state == .ready)
  }

  /// Who has not looked at a token has not accepted it.
  @Test(arguments: [(407, false), (429, false), (502, false), (503, false), (200, true), (404, true), (304, true)])
  func whatIsNoAcceptance(_ status: Int, _ isOne: Bool) async throws {
    let source = CountingSource()
    let stub = TransportStub { $0.url.path().hasSuffix("bad") ? .status(401) : .json("[]", status: status) }
    let bearer = BearerAuthentication(source, clock: TestClock())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub) { $0.retry = .never }
    var kinds: [HTTPError.Kind?] = []
    for _ in 0..<4 {
      kinds.append(
        await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/bad")) }?.kind)
      _ = try? await client.request(get)
    }
    #expect(kinds == [.unauthorized, .unauthorized, .unauthorized, isOne ? .unauthorized : .needsSignIn])
    #expect(source.refreshed.count == 3)
  }

  /// A token that a server has accepted was of help, however soon the next one is needed; but no more of them are made
  /// within the window than the limit allows.
  @Test func tokensOfOneUse() async throws {
    let source = CountingSource()
    let used = Mutex<Set<String>>(["t0"])
    let stub = TransportStub.accepting { token in used.withLock { $0.insert(token).inserted } }
    let clock = TestClock()
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    for _ in 0..<3 {
      for _ in 0..<3 { _ = try await client.request(get) }
      for _ in 0..<2 {
        #expect(await failure { () async throws(HTTPError) in try await client.request(get) }?.kind == .unauthorized)
      }
      clock.advance(by: BearerAuthentication.defaultRefreshWindow)
    }
    #expect(source.refreshed.count == 9 && bearer.state == .ready)
  }
}
