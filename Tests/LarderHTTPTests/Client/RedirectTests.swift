import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct RedirectTests {
  /// What a client asks when the first answer redirects.
  private func asked(
    _ status: Int, to location: String?, method: HTTPMethod = .get, from base: String = "https://h/v1",
    body: RequestBody? = nil, change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) async throws -> [HTTPRequest] {
    let stub = TransportStub { request in
      if request.url.absoluteString.hasPrefix(base + "/start") {
        return .status(status, headers: location.map { ["Location": $0] } ?? [:])
      }
      return .json("[]")
    }
    var configuration = HTTPClient.Configuration()
    change(&configuration)
    let client = HTTPClient(baseURL: URL(string: base)!, configuration: configuration, transport: stub)
    let endpoint = Endpoint<[String]>(method, "/start", body: body).with {
      $0.headers = ["Authorization": "Bearer secret", "Cookie": "c", "X-Key": "k", "X-Other": "o"]
      $0.idempotencyKey = "key"
    }
    _ = try await client.request(endpoint)
    return stub.requests
  }

  @Test(arguments: [
    (301, HTTPMethod.get, HTTPMethod.get, false), (301, .post, .get, false), (302, .post, .get, false),
    (303, .post, .get, false), (303, .put, .get, false), (307, .post, .post, true), (308, .post, .post, true),
    (301, .put, .put, true), (302, .delete, .delete, true), (303, .head, .head, false), (308, .patch, .patch, true),
  ]) func methods(_ status: Int, _ method: HTTPMethod, _ next: HTTPMethod, _ keepsBody: Bool) async throws {
    let requests = try await asked(
      status, to: "/v1/end?x=1", method: method, body: method == .head ? nil : .json(["a": 1]))
    #expect(requests.map(\.method) == [method, next])
    #expect(requests[1].url.absoluteString == "https://h/v1/end?x=1")
    #expect((requests[1].body != nil) == (keepsBody || method == .get && next == .get))
  }

  /// Who is asked there can't tell a second one from the first: the key is for the first origin.
  @Test func whatWentToAnotherOriginWithoutItsKeyIsNotRepeated() async throws {
    for (location, attempts) in [("https://other/end", 1), ("/v1/end", 3)] {
      let stub = TransportStub { request throws(HTTPError) in
        if request.url.path() == "/v1/start" { return .status(308, headers: ["Location": location]) }
        throw HTTPError(.maybeSent(.closed), delivery: .maybeSent)
      }
      var configuration = HTTPClient.Configuration()
      configuration.retry = RetryPolicy(attempts: 3, base: .milliseconds(1))
      let client = HTTPClient(baseURL: URL(string: "https://h/v1")!, configuration: configuration, transport: stub)
      let endpoint = Endpoint<[String]>(.post, "/start", body: .json(["a": 1])).with { $0.idempotencyKey = "key" }
      let error = await #expect(throws: HTTPError.self) { try await client.request(endpoint) }
      #expect(error?.delivery == .maybeSent)
      #expect(stub.requests.count { $0.url.path() != "/v1/start" } == attempts, "\(location)")
    }
  }

  @Test func anotherOriginIsNotGivenSecrets() async throws {
    for location in ["https://other/x", "https://h:8443/x", "//sub.h/x"] {
      let requests = try await asked(307, to: location) { $0.secretHeaders = ["x-key"] }
      let headers = requests[1].headers
      #expect(headers["Authorization"] == nil && headers["Cookie"] == nil && headers["X-Key"] == nil, "\(location)")
      #expect(headers["Idempotency-Key"] == nil && headers["X-Other"] == "o")
    }
    let same = try await asked(307, to: "https://H:443/x") { $0.secretHeaders = ["x-key"] }
    #expect(same[1].headers["Authorization"] == "Bearer secret" && same[1].headers["X-Key"] == "k")
  }

  @Test(
    arguments: [
      (nil, RedirectFailure.noLocation), ("http://h/x", .insecure), ("ftp://h/x", .noLocation),
      ("https://", .noLocation),
      ("", .tooMany(limit: 10)), ("/v1/start", .tooMany(limit: 10)),
    ] as [(String?, RedirectFailure)]) func whatIsNotFollowed(_ location: String?, _ expected: RedirectFailure)
    async throws
  {
    let error = await #expect(throws: HTTPError.self) { try await asked(302, to: location) }
    #expect(error?.kind == .redirect(expected))
    #expect(error?.status == 302 && error?.attempts == 1)
  }

  @Test func aBodyThatCannotBeSentAgain() async throws {
    let once = RequestBody.stream(type: "x/y") { AsyncStream<Data> { $0.finish() } }
    let error = await #expect(throws: HTTPError.self) { try await asked(307, to: "/v1/x", method: .put, body: once) }
    #expect(error?.kind == .redirect(.bodyNotReplayable))
  }

  @Test func overSockets() async throws {
    let other = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .restart] }
    let first = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send(Wire.response("moved", status: "307 Temporary Redirect", headers: ["Location: \(other.url("/end"))"])),
        .restart,
      ]
    }
    defer {
      first.stop()
      other.stop()
    }
    let client = HTTPClient.ofFaults(first.url(), clock: TestClock(advancesAutomatically: true))
    _ = try await client.request(
      Endpoint<[String]>.put("/start", body: .json([1])).with { $0.headers["Authorization"] = "secret" })
    #expect(other.requests.map(\.body) == [Data("[1]".utf8)])
    #expect(first.requests[0].headers["authorization"] == "secret" && other.requests[0].headers["authorization"] == nil)
  }

  /// What was done at the first address is not done again because the answer could not be read at the second one.
  @Test(
    arguments: [301, 302, 303],
    [
      HTTPError(.notSent(.connectionRefused), delivery: .notSent), HTTPError(.deadline(.connect), delivery: .notSent),
      HTTPError(.unacceptableStatus(408), delivery: .responded, status: 408),
      HTTPError(.unacceptableStatus(425), delivery: .responded, status: 425),
      HTTPError(.rateLimited(until: nil), delivery: .responded, status: 429),
    ]) func whatWasDoneIsNotDoneAgain(_ status: Int, _ problem: HTTPError) async throws
  {
    let stub = TransportStub { (request) async throws(HTTPError) in
      if request.method == .post { return .status(status, headers: ["Location": "/end"]) }
      if problem.delivery == .responded { return .status(problem.status ?? 0) }
      throw problem
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<[String]>.post("/start", body: .json([1])))
    }
    // The answer alone is asked for again.
    #expect(stub.requests.map(\.method) == [.post, .get, .get, .get])
    #expect(stub.requests.dropFirst().allSatisfy { $0.url.path() == "/end" })
    #expect(error?.delivery == (problem.delivery == .responded ? .responded : .maybeSent))
    if case .notSent = error?.kind { Issue.record("not sent") }
    #expect(error?.advice.contains("safe to send it again") == false)
    #expect(error?.advice.contains("nothing was sent") == false)
  }

  /// Nor is it said that it was not done, where nobody may ask for the answer any more.
  @Test(arguments: [HTTPError.Kind.credentialsUnavailable, .needsSignIn])
  func whoIsKeptFromTheAnswerIsNotToldThatNothingWasDone(_ kind: HTTPError.Kind) async throws {
    let stub = TransportStub { (request) async throws(HTTPError) in
      if request.method == .post { return .status(303, headers: ["Location": "/end"]) }
      throw HTTPError(kind, delivery: .notSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<[String]>.post("/start", body: .json([1])))
    }
    #expect(error?.kind == kind && error?.delivery == .maybeSent)
    #expect(error?.advice.contains("not acted upon") == false && error?.advice.contains("may have acted") == true)
    #expect(HTTPError(kind, delivery: .notSent).advice.contains("not acted upon"))
  }

  /// Sends the call's own request elsewhere: all attempts but the first, or after a failure, or beside the answer.
  final class Mirror: HTTPInterceptor {
    enum When: CaseIterable, Sendable {
      case nextAttempt, afterFailure, besideAnswer
    }

    private let when: When
    private let attempts = Mutex(0)

    init(_ when: When) { self.when = when }

    func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
      let number = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      let mirrored = request.with { $0.url = URL(string: "https://mirror/start")! }
      if when == .nextAttempt, number > 1 { return try await next(mirrored) }
      let response: StreamedResponse
      do throws(HTTPError) {
        response = try await next(request)
      } catch {
        guard when == .afterFailure else { throw error }
        return try await next(mirrored)
      }
      if when == .besideAnswer { _ = try await next(mirrored) }
      return response
    }
  }

  /// What was done at one address is not done again at another one, to which an interceptor sends what is tried again.
  @Test(arguments: Mirror.When.allCases, [true, false])
  func whatWasDoneIsNotDoneAgainElsewhere(_ when: Mirror.When, _ hasKey: Bool) async throws {
    let stub = TransportStub { (request) async throws(HTTPError) in
      if request.url.host() == "mirror" { return .json("[]") }
      if request.method == .post { return .status(303, headers: ["Location": "/end"]) }
      if when == .besideAnswer { return .json("[]") }
      throw HTTPError(.maybeSent(.closed), delivery: .maybeSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    configuration.interceptors = [Mirror(when)]
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let endpoint = Endpoint<[String]>.post("/start", body: .json([1])).with { $0.idempotencyKey = hasKey ? "key" : nil }
    let asked = { stub.requests.map { "\($0.method) \($0.url.host() ?? "")\($0.url.path())" } }
    // With a key the mirror can tell that it is the same; and what goes beside an answer is no second try.
    if hasKey || when == .besideAnswer {
      _ = try await client.request(endpoint)
      #expect(asked() == ["POST h/start", "GET h/end", "POST mirror/start"])
      return
    }
    let error = await failure { () async throws(HTTPError) in try await client.request(endpoint) }
    #expect(error?.kind == .redirect(.alreadyProcessed) && error?.delivery == .maybeSent && error?.attempts == 3)
    #expect(error?.advice.contains("has acted") == true)
    // Where an attempt asks for the answer first, that does no harm.
    let answers = Array(repeating: "GET h/end", count: when == .afterFailure ? 3 : 1)
    #expect(asked() == ["POST h/start"] + answers)
  }

  @Test func theDeadlineIsOfAllRedirects() async throws {
    let clock = TestClock()
    let stub = TransportStub { _ in
      clock.advance(by: .seconds(4))
      return .status(302, headers: ["Location": "/next"])
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = clock
    configuration.deadlines.total = .seconds(10)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/start")) }
    #expect(stub.requests.map(\.deadlines.total) == [.seconds(10), .seconds(6), .seconds(2)])
    #expect(error?.kind == .deadline(.total) && error?.delivery == .maybeSent)
  }

  /// An interceptor sends requests of its own through the same call.
  @Test func whatAnInterceptorHasDoneIsAnotherRequest() async throws {
    struct Token: HTTPInterceptor {
      func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
        _ = try await next(HTTPRequest(.post, URL(string: "https://h/token")!))
        var signed = request
        signed.url.append(queryItems: [URLQueryItem(name: "signature", value: "s")])
        return try await next(signed)
      }
    }
    func asked(_ endpoint: Endpoint<[String]>) async throws -> [String] {
      let stub = TransportStub { request in
        switch (request.method, request.url.path()) {
        case (.post, "/token"): .status(303, headers: ["Location": "/granted"])
        case (.post, _): .status(303, headers: ["Location": "/end"])
        case (_, "/granted"): .json("[]")
        default: .status(429)
        }
      }
      var configuration = HTTPClient.Configuration()
      configuration.dependencies.clock = TestClock(advancesAutomatically: true)
      configuration.interceptors = [Token()]
      configuration.retry.attempts = 2
      let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
      _ = await failure { () async throws(HTTPError) in try await client.request(endpoint) }
      return stub.requests.map { $0.method.rawValue + " " + $0.url.path() }.filter { !$0.contains("/token") }
    }
    #expect(try await asked(.get("/a")) == ["GET /granted", "GET /a", "GET /granted", "GET /a"])
    #expect(try await asked(.post("/a")) == ["GET /granted", "POST /a", "GET /end", "GET /granted", "GET /end"])
  }
}
