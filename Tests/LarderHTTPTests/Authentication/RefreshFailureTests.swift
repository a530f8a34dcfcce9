import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// What a request fails with whose token could not be got: nothing that could be taken for an answer to it.
@Suite(.timeLimit(.minutes(2))) struct RefreshFailureTests {
  private let get = Endpoint<[String]>.get("/things")

  /// Asks a server of its own for tokens.
  private struct Session: BearerTokenSource {
    let client: HTTPClient
    func token() async throws -> BearerToken? { BearerToken("t0") }
    func refresh(_ old: BearerToken) async throws -> BearerToken {
      _ = try await client.request(Endpoint<[String]>.post("/token"))
      return BearerToken("t1")
    }
  }

  private static func client(ofTokens stub: TransportStub, clock: TestClock) -> HTTPClient {
    .authenticated(nil, by: stub, clock: clock) { $0.retry = .never }
  }

  /// The status is that of the server which gives tokens, and not of the one that was asked.
  @Test(arguments: [403, 404, 422, 429, 500, 503]) func aTokenServersStatus(_ status: Int) async throws {
    let clock = TestClock()
    let tokens = TransportStub { _ in .json(#"{"title": "T"}"#, status: status, headers: ["Retry-After": "3600"]) }
    let stub = TransportStub.accepting { _ in false }
    let source = Session(client: Self.client(ofTokens: tokens, clock: clock))
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub, clock: clock)
    let error = try #require(await failure { () async throws(HTTPError) in try await client.request(get) })
    #expect(error.kind == .credentialsUnavailable && error.delivery == .notSent && error.request == "GET /things")
    #expect(error.status == nil && error.headers.fields.isEmpty && error.body.isEmpty && error.problem == nil)
    let cause = try #require(error.underlying as? HTTPError)
    #expect(cause.status == status && cause.delivery == .responded && cause.request == "POST /token")
    #expect(cause.problem?.title == "T")
    #expect(error.attempts == 1 && tokens.requests.count == 1)
  }

  /// It is the token's fault, and another may be good.
  @Test(arguments: ["t\r\nX: y", "t\0", "t\n"]) func aTokenThatIsNoFieldsValue(_ value: String) async throws {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in BearerToken(value) }
    let stub = TransportStub.accepting { _ in true }
    let bearer = BearerAuthentication(source)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub)
    let error = try #require(await failure { () async throws(HTTPError) in try await client.request(get) })
    #expect(error.kind == .credentialsUnavailable && error.delivery == .notSent && stub.requests.isEmpty)
    #expect((error.underlying as? HTTPError)?.kind == .invalidRequest(.header(name: "Authorization")))
    // The source is asked again, and not each request refused for as long as the token would have been valid.
    #expect(await failure { () async throws(HTTPError) in try await client.request(get) } != nil)
    #expect(source.refreshed == ["t0", "t0"])
  }

  @Test func itsSentence() async throws {
    let clock = TestClock()
    let tokens = TransportStub { (_) async throws(HTTPError) in
      throw HTTPError(.maybeSent(.closed), delivery: .maybeSent)
    }
    let source = Session(client: Self.client(ofTokens: tokens, clock: clock))
    let stub = TransportStub.accepting { _ in false }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub, clock: clock)
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(
      error?.description == """
        GET /things: the credentials could not be got: POST /token: sent, perhaps: the connection was closed before an \
        answer. What asks for the credentials may have arrived. Try again later; sign in where they are not accepted \
        then. The request itself was not acted upon.
        """)
  }

  /// The network's failures say nothing of the credentials.
  @Test(
    arguments: [
      HTTPError(.notSent(.connectionRefused), delivery: .notSent), HTTPError(.maybeSent(.closed), delivery: .maybeSent),
      HTTPError(.deadline(.firstByte), delivery: .maybeSent),
      HTTPError(.unacceptableStatus(503), delivery: .responded, status: 503),
      HTTPError(.rateLimited(until: nil), delivery: .responded, status: 429),
      HTTPError(.notJSON(mediaType: "text/html"), delivery: .responded),
      HTTPError(.pinMismatch(host: "a"), delivery: .notSent), HTTPError(.cancelled, delivery: .maybeSent),
      HTTPError(.credentialsUnavailable, delivery: .notSent), CancellationError(), CredentialsUnavailableError(),
      NSError(domain: NSURLErrorDomain, code: -1_009),
    ] as [any Error]) func aRefreshThatDoesNotArrive(_ thrown: any Error) async throws
  {
    let source = CountingSource { number in
      if number < 6 { throw thrown }
      return BearerToken("new")
    }
    let stub = TransportStub.accepting { $0 == "new" }
    let bearer = BearerAuthentication(source, clock: TestClock())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub) { $0.retry = .never }
    for _ in 0..<5 {
      let error = await failure { () async throws(HTTPError) in try await client.request(get) }
      #expect(error?.kind == .credentialsUnavailable && error?.delivery == .notSent && error?.request == "GET /things")
      #expect((error?.underlying as? HTTPError)?.kind == (thrown as? HTTPError)?.kind && error?.underlying != nil)
      #expect(bearer.state == .ready)
    }
    _ = try await client.request(get)
    // What was refused is not shown again meanwhile.
    #expect(stub.tokens == ["Bearer t0", "Bearer new"] && source.refreshed.count == 6)
  }

  /// Where nothing of the refresh was sent, the request's own policy tries again; where it may have arrived, it does not.
  @Test(
    arguments: [
      (CredentialsUnavailableError(), 3), (HTTPError(.notSent(.connectionRefused), delivery: .notSent), 3),
      (HTTPError(.unacceptableStatus(429), delivery: .responded, status: 429), 3),
      (HTTPError(.deadline(.connect), delivery: .notSent), 3),
      (HTTPError(.credentialsUnavailable, delivery: .notSent, underlying: CredentialsUnavailableError()), 3),
      (HTTPError(.maybeSent(.closed), delivery: .maybeSent), 1),
      (CredentialsUnavailableError(underlying: HTTPError(.maybeSent(.closed), delivery: .maybeSent)), 1),
      (CredentialsUnavailableError(underlying: HTTPError(.notSent(.connectionRefused), delivery: .notSent)), 3),
      (HTTPError(.notSent(.untrustedCertificate), delivery: .notSent), 1),
      (HTTPError(.unacceptableStatus(503), delivery: .responded, status: 503), 1),
      (HTTPError(.deadline(.firstByte), delivery: .maybeSent), 1), (CancellationError(), 1),
      (HTTPError(.deadline(.total), delivery: .notSent), 1), (HTTPError(.deadline(.idle), delivery: .maybeSent), 1),
      (HTTPError(.rateLimited(until: nil), delivery: .responded, status: 503), 1),
      (HTTPError(.rateLimited(until: nil), delivery: .responded, status: 429), 3),
      // Its own client has tried again already.
      (HTTPError.tried(3, .notSent(.connectionRefused)), 1), (HTTPError.tried(2, .deadline(.connect)), 1),
      (CredentialsUnavailableError(underlying: HTTPError.tried(2, .notSent(.connectionRefused))), 1),
      (URLError(.cannotConnectToHost), 3), (URLError(.networkConnectionLost), 1), (URLError(.timedOut), 1),
    ] as [(any Error, Int)]) func whatIsTriedAgain(_ thrown: any Error, _ attempts: Int) async throws
  {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in throw thrown }
    let stub = TransportStub { _ in .json("[]") }
    let clock = TestClock(advancesAutomatically: true)
    let bearer = BearerAuthentication(source, clock: clock)
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub, clock: clock)
    // Not idempotent: of itself nothing was sent.
    let error = await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.post("/x")) }
    #expect(error?.kind == .credentialsUnavailable && error?.delivery == .notSent && error?.attempts == attempts)
    #expect(source.refreshed.count == attempts && stub.requests.isEmpty && bearer.state == .ready)
  }

  @Test func aTokenServerThatAsksToWait() async throws {
    let clock = TestClock(advancesAutomatically: true)
    let tokens = TransportStub { request in
      clock.sleeps.isEmpty ? .status(429, headers: ["Retry-After": "7"]) : .json("[]")
    }
    let source = Session(client: Self.client(ofTokens: tokens, clock: clock))
    let stub = TransportStub.accepting { $0 == "t1" }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub, clock: clock)
    _ = try await client.request(get)
    // Half of the first wait is drawn beyond what was asked for.
    #expect(clock.sleeps == [.seconds(7) + .milliseconds(250)])
  }

  /// A keychain that is locked signs nobody out, also before there is a first token.
  @Test func notNow() async throws {
    struct Locked: Error {}
    struct Source: BearerTokenSource {
      let opened: Gate
      func token() async throws -> BearerToken? {
        guard opened.isOpen else { throw CredentialsUnavailableError(underlying: Locked()) }
        return BearerToken("t0")
      }
      func refresh(_ old: BearerToken) async throws -> BearerToken { throw CredentialsRejectedError() }
    }
    let opened = Gate()
    let stub = TransportStub { _ in .json("[]") }
    let bearer = BearerAuthentication(Source(opened: opened), clock: TestClock())
    let client = HTTPClient.authenticated(.bearer(bearer), by: stub) { $0.retry = .never }
    for _ in 0..<10 {
      let error = await failure { () async throws(HTTPError) in try await client.request(get) }
      #expect(error?.kind == .credentialsUnavailable && error?.delivery == .notSent && bearer.state == .ready)
      #expect((error?.underlying as? CredentialsUnavailableError)?.underlying is Locked)
    }
    opened.open()
    _ = try await client.request(get)
    #expect(stub.tokens == ["Bearer t0"])
  }

  /// Whoever reads the error of a request is told what to mend, however deep it lies.
  @Test(
    arguments: [
      (
        CredentialsUnavailableError("the keyring is locked", advice: "Unlock it."),
        "GET /things: the credentials could not be got: the keyring is locked. Unlock it. The request itself was not acted upon."
      ),
      (
        // Of a client that waits for credentials itself.
        HTTPError(
          .credentialsUnavailable, delivery: .notSent,
          underlying: CredentialsUnavailableError("the keyring is locked", advice: "Unlock it.")),
        """
        GET /things: the credentials could not be got: the credentials could not be got: the keyring is locked. Unlock it. \
        The request itself was not acted upon.
        """
      ),
      (
        CredentialsUnavailableError(),
        "GET /things: the credentials could not be got. Try again later. The request itself was not acted upon."
      ),
      (
        CredentialsUnavailableError(underlying: HTTPError(.notSent(.connectionRefused), delivery: .notSent)),
        """
        GET /things: the credentials could not be got. Nobody listens at this address and port: is the server running? Then \
        try again. The request itself was not acted upon.
        """
      ),
      (
        HTTPError(.notSent(.connectionRefused), delivery: .notSent),
        """
        GET /things: the credentials could not be got: not sent: the connection was refused. Nobody listens at this address \
        and port: is the server running? Then try again. The request itself was not acted upon.
        """
      ),
      (
        HTTPError(.pinMismatch(host: "h"), delivery: .notSent),
        """
        GET /things: the credentials could not be got: the key of h is not one that it is pinned to. Do not go on: the \
        connection may be intercepted. If the server's key was changed, ship its new pin. Nothing was sent. The request \
        itself was not acted upon.
        """
      ),
    ] as [(any Error, String)]) func whatIsSaidOfIt(_ thrown: any Error, _ words: String) async throws
  {
    let source = CountingSource(stored: BearerToken("t0", lifetime: .zero)) { _ in throw thrown }
    let bearer = BearerAuthentication(source, clock: TestClock())
    let client = HTTPClient.authenticated(.bearer(bearer), by: TransportStub { _ in .json("[]") }) { $0.retry = .never }
    let error = await failure { () async throws(HTTPError) in try await client.request(get) }
    #expect(error?.description == words)
    let cause = (thrown as? CredentialsUnavailableError)?.underlying ?? thrown
    #expect(error?.rootCause.kind == (cause as? HTTPError)?.kind ?? .credentialsUnavailable)
  }

  private struct NotKept: Error {}
  /// JSON that breaks off.
  private static let damaged = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cut off"))

  /// A refresh token that is for one use is not used twice, where its first use may have arrived.
  @Test(
    arguments: [
      (HTTPError(.maybeSent(.closed), delivery: .maybeSent), true),
      (HTTPError(.deadline(.firstByte), delivery: .maybeSent), true),
      (HTTPError(.interrupted(.truncated), delivery: .responded, status: 200), true),
      (HTTPError(.undecodable(path: ""), delivery: .responded, status: 200), true),
      (
        HTTPError(.notJSON(mediaType: "application/json"), delivery: .responded, status: 200, underlying: Self.damaged),
        true
      ),
      (HTTPError(.unacceptableStatus(502), delivery: .responded, status: 502), true),
      (HTTPError(.unacceptableStatus(504), delivery: .responded, status: 504), true),
      (HTTPError(.unacceptableStatus(500), delivery: .responded, status: 500), true),
      (HTTPError(.redirect(.noLocation), delivery: .responded, status: 302), true),
      // What a source fails with that cannot read or keep the answer.
      (NotKept(), true), (NSError(domain: NSCocoaErrorDomain, code: 4), true),
      (CredentialsUnavailableError(underlying: HTTPError(.maybeSent(.closed), delivery: .maybeSent)), true),
      (CredentialsUnavailableError(underlying: URLError(.networkConnectionLost)), true),
      (URLError(.networkConnectionLost), true), (CancellationError(), true),
      (HTTPError(.notSent(.connectionRefused), delivery: .notSent), false),
      (HTTPError(.deadline(.connect), delivery: .notSent), false),
      (HTTPError(.unacceptableStatus(503), delivery: .responded, status: 503), false),
      (HTTPError(.rateLimited(until: nil), delivery: .responded, status: 429), false),
      (URLError(.notConnectedToInternet), false), (CredentialsUnavailableError(), false),
      (CredentialsUnavailableError(underlying: HTTPError(.notSent(.connectionRefused), delivery: .notSent)), false),
      (CredentialsUnavailableError(underlying: NotKept()), false),
      (HTTPError(.unacceptableStatus(422), delivery: .responded, status: 422), false),
      (HTTPError(.notJSON(mediaType: "text/html"), delivery: .responded, status: 200), false),
    ] as [(any Error, Bool)]) func aLostAnswer(_ thrown: any Error, _ isLost: Bool) async throws
  {
    for rotates in [true, false] {
      let source = CountingSource(rotates: rotates) { number in
        if number == 1 { throw thrown }
        return BearerToken("new")
      }
      let stub = TransportStub.accepting { $0 == "new" }
      let bearer = BearerAuthentication(source, clock: TestClock())
      let client = HTTPClient.authenticated(.bearer(bearer), by: stub) { $0.retry = .never }
      let error = await failure { () async throws(HTTPError) in try await client.request(get) }
      guard rotates && isLost else {
        #expect(error?.kind == .credentialsUnavailable && bearer.state == .ready)
        _ = try await client.request(get)
        #expect(source.refreshed.count == 2)
        continue
      }
      #expect(error?.kind == .needsSignIn && error?.delivery == .notSent && bearer.state == .needsSignIn)
      let lost = try #require(error?.underlying as? RefreshResponseLostError)
      #expect((lost.underlying as? HTTPError)?.kind == (thrown as? HTTPError)?.kind)
      #expect(lost.description.contains("sign in again"))
      let later = await failure { () async throws(HTTPError) in try await client.request(get) }
      #expect(later?.kind == .needsSignIn && later?.underlying is RefreshResponseLostError)
      #expect(source.refreshed.count == 1 && stub.requests.count == 1)
    }
  }
}

extension HTTPError {
  /// What a client throws that has tried several times.
  fileprivate static func tried(_ attempts: Int, _ kind: Kind) -> HTTPError {
    var error = HTTPError(kind, delivery: .notSent)
    error.attempts = attempts
    return error
  }
}
