import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Which requests are given credentials, and which are not.
@Suite struct AuthenticatedEndpointTests {
  private struct Key: RequestAuthentication {
    func authorize(_ request: inout HTTPRequest) async throws(HTTPError) { request.headers["X-Key"] = "k" }
  }

  private static let all: [ClientAuthentication] = [
    .basic(user: "u", password: "p"), .bearer(BearerAuthentication(CountingSource())), .custom(Key()),
  ]

  /// What a request has failed with, if it has.
  private func outcome(of work: () async throws(HTTPError) -> [String]) async -> HTTPError? {
    do throws(HTTPError) {
      _ = try await work()
      return nil
    } catch {
      return error
    }
  }

  private func credentials(of request: HTTPRequest) -> String? {
    request.headers["Authorization"] ?? request.headers["X-Key"]
  }

  @Test(arguments: all.indices) func anotherOriginIsNotGivenThem(_ number: Int) async throws {
    for (location, isGiven) in [
      ("/v1/end", true), ("https://API.example:443/end", true), ("https://other.example/end", false),
      ("https://api.example:8443/end", false), ("//sub.api.example/end", false),
    ] {
      let stub = TransportStub { request in
        request.url.path() == "/v1/start" ? .status(307, headers: ["Location": location]) : .json("[]")
      }
      let client = HTTPClient.authenticated(Self.all[number], by: stub)
      _ = try await client.request(Endpoint<[String]>.put("/start").with { $0.headers["X-Other"] = "o" })
      #expect(stub.requests.count == 2)
      #expect(credentials(of: stub.requests[0]) != nil)
      #expect((credentials(of: stub.requests[1]) != nil) == isGiven, "\(location)")
      #expect(stub.requests[1].headers["X-Other"] == "o")
    }
  }

  /// Who was not shown a token does not refuse it, and neither does the first origin where the way leads back.
  @Test(arguments: ["https://other.example/end", "https://other.example/back"])
  func anotherOriginsRefusal(_ location: String) async throws {
    let source = CountingSource()
    let stub = TransportStub { request in
      switch request.url.path() {
      case "/v1/start": .status(307, headers: ["Location": location])
      case "/back": .status(307, headers: ["Location": "https://api.example/v1/end"])
      default: .status(401)
      }
    }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    let error = await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/start"))
    }
    #expect(error?.kind == .unauthorized && source.refreshed.isEmpty)
    #expect(stub.tokens.dropFirst().allSatisfy { $0 == nil })
  }

  /// What was done before the refusal is not done again.
  @Test func aRefusalAfterARedirect() async throws {
    let source = CountingSource()
    let stub = TransportStub { request in
      if request.method == .post { return .status(303, headers: ["Location": "/v1/end"]) }
      return request.headers["Authorization"] == "Bearer t1" ? .json("[]") : .status(401)
    }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source)), by: stub)
    _ = try await client.request(Endpoint<[String]>.post("/start", body: .json([1])))
    #expect(stub.requests.map(\.method) == [.post, .get, .get] && source.refreshed == ["t0"])
  }

  /// What an interceptor has sent elsewhere and was done there is done again only where that does no harm.
  @Test(arguments: [nil, "key"]) func aRefusalAfterAnothersRedirect(_ key: String?) async throws {
    struct Elsewhere: HTTPInterceptor {
      func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
        var changed = request
        changed.url = URL(string: "https://api.example/v1/elsewhere")!
        return try await next(changed)
      }
    }
    for authentication in [.bearer(BearerAuthentication(CountingSource())), .custom(Challenged(isAskedAgain: true))]
      as [ClientAuthentication]
    {
      let stub = TransportStub { request in
        if request.method == .post { return .status(303, headers: ["Location": "/v1/end"]) }
        let isNew = ["Bearer t1", "Digest n1"].contains(request.headers["Authorization"])
        return isNew ? .json("[]") : .status(401, headers: ["WWW-Authenticate": "n1"])
      }
      let client = HTTPClient.authenticated(authentication, by: stub) { $0.interceptors = [Elsewhere()] }
      let post = Endpoint<[String]>.post("/start", body: .json([1])).with { $0.idempotencyKey = key }
      let error = await outcome { () async throws(HTTPError) in try await client.request(post) }
      #expect(error?.kind == (key == nil ? .unauthorized : nil))
      #expect(stub.requests.map(\.method) == (key == nil ? [.post, .get] : [.post, .get, .post, .get]))
    }
  }

  /// Who listens on the way is not given them, unless that is allowed.
  @Test(
    arguments: [
      ("http://localhost", true), ("http://LOCALHOST.:8080", true), ("http://a.localhost", true),
      ("http://127.0.0.1:1", true), ("http://127.9.9.9", true), ("http://[::1]:8080", true),
      ("https://api.example", true), ("http://api.example", false), ("HTTP://api.example", false),
      ("http://128.0.0.1", false), ("http://127.0.0.1.example", false), ("http://localhost.example", false),
      ("http://notlocalhost", false), ("http://[::2]", false), ("http://10.0.0.1", false),
    ]) func overHTTP(_ address: String, _ isSafe: Bool) async throws
  {
    let base = try #require(URL(string: address))
    for (authentication, isAllowed) in Self.all.flatMap({ [($0, false), ($0, true)] }) {
      let stub = TransportStub { _ in .json("[]") }
      var configuration = HTTPClient.Configuration()
      configuration.authentication = authentication
      configuration.allowsCredentialsOverHTTP = isAllowed
      let client = HTTPClient(baseURL: base, configuration: configuration, transport: stub)
      let error = await outcome { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/x")) }
      guard !isSafe && !isAllowed else {
        #expect(error == nil && stub.requests.compactMap { credentials(of: $0) }.count == 1)
        continue
      }
      #expect(error?.kind == .invalidRequest(.insecureCredentials) && error?.delivery == .notSent)
      #expect(error?.attempts == 1 && stub.requests.isEmpty)
      #expect(
        error?.description == """
          GET /x: the request cannot be sent (credentials over http). Use https, or allow credentials over http where the \
          network is yours.
          """)
      // Without any, it is a request like others.
      _ = try await client.request(Endpoint<[String]>.get("/x").with { $0.authentication = .none })
      #expect(stub.requests.count == 1)
    }
  }

  @Test(arguments: all.indices) func endpointsChoose(_ number: Int) async throws {
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(Self.all[number], by: stub)
    let get = Endpoint<[String]>.get("/x")
    _ = try await client.request(get)
    _ = try await client.request(get.with { $0.authentication = .none })
    let elsewhere = get.with { $0.baseURL = URL(string: "https://other.example") }
    _ = try await client.request(elsewhere)
    _ = try await client.request(elsewhere.with { $0.authentication = .override(.custom(Key())) })
    // Addresses that a server names, say.
    _ = try await client.response(to: HTTPRequest(.get, URL(string: "https://api.example/page?2")!))
    _ = try await client.response(to: HTTPRequest(.get, URL(string: "https://other.example/page?2")!))
    #expect(stub.requests.map { credentials(of: $0) != nil } == [true, false, false, true, true, false])
  }

  @Test func anAuthorizationOfItsOwnStays() async throws {
    let source = CountingSource()
    let stub = TransportStub { _ in .status(401) }
    for authentication in [.bearer(BearerAuthentication(source)), ClientAuthentication.basic(user: "u", password: "p")]
    {
      let client = HTTPClient.authenticated(authentication, by: stub)
      let endpoint = Endpoint<[String]>.get("/x").with { $0.headers["authorization"] = "mine" }
      let error = await failure { () async throws(HTTPError) in try await client.request(endpoint) }
      #expect(error?.kind == .unauthorized)
    }
    #expect(stub.tokens == ["mine", "mine"] && source.loads == 0)
  }

  /// RFC 7617's own examples, of section 2 and 2.1.
  @Test func basic() async throws {
    let stub = TransportStub { _ in .status(401) }
    for (user, password, expected) in [
      ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
      ("", "a:b", "Basic OmE6Yg=="),
    ] {
      let client = HTTPClient.authenticated(.basic(user: user, password: password), by: stub)
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
      #expect(error?.kind == .unauthorized && stub.requests.last?.headers["Authorization"] == expected)
    }
    #expect(stub.requests.count == 3)
    for (user, password) in [("a:b", "c"), ("a\nb", "c"), ("a", "b\u{7F}"), ("a", "\u{0}")] {
      let client = HTTPClient.authenticated(.basic(user: user, password: password), by: stub)
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
      #expect(error?.kind == .invalidRequest(.credentials) && error?.delivery == .notSent)
      #expect(
        error?.description == """
          GET /x: the request cannot be sent (credentials). Give a name without a colon, and neither it nor the password \
          control characters.
          """)
    }
    #expect(stub.requests.count == 3)
  }

  /// A signature over what a server has challenged with.
  private final class Challenged: RequestAuthentication {
    private let nonce = Mutex("")
    let isAskedAgain: Bool

    init(isAskedAgain: Bool) { self.isAskedAgain = isAskedAgain }

    func authorize(_ request: inout HTTPRequest) async throws(HTTPError) {
      request.headers["Authorization"] = "Digest " + nonce.withLock { $0 }
    }

    func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool {
      #expect(request.headers["Authorization"]?.hasPrefix("Digest") == true)
      nonce.withLock { $0 = challenge.headers["WWW-Authenticate"] ?? "" }
      return isAskedAgain
    }
  }

  @Test(arguments: [true, false]) func custom(_ isAskedAgain: Bool) async throws {
    let stub = TransportStub { request in
      request.headers["Authorization"] == "Digest n1" && request.url.path() == "/v1/good"
        ? .json("[]") : .status(401, headers: ["WWW-Authenticate": "n1"])
    }
    let client = HTTPClient.authenticated(.custom(Challenged(isAskedAgain: isAskedAgain)), by: stub)
    guard isAskedAgain else {
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/good")) }
      #expect(error?.kind == .unauthorized && stub.requests.count == 1)
      return
    }
    _ = try await client.response(to: .get("/good"))
    #expect(stub.tokens == ["Digest ", "Digest n1"])
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/bad")) }
    #expect(error?.kind == .unauthorized && stub.requests.count == 4)
  }
}
