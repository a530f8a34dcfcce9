import Foundation
import Larder
import LarderTesting
import Testing

/// The steps of Authentication.md, each run.
@Suite struct AuthenticationArticleTests {
  private let api = URL(string: "https://api.example")!

  private actor MemoryVault: Vault {
    private var known: Granted?
    init(_ known: Granted?) { self.known = known }
    func granted() -> Granted? { known }
    func keep(_ granted: Granted) { known = granted }
  }

  /// Grants `a1`, `a2` and so on, and accepts what was granted last.
  private func server(refusing isRefused: Bool = false) -> TransportStub {
    let count = Counter()
    return TransportStub { request in
      if request.url.path().contains("session") {
        if isRefused, request.url.path().hasSuffix("refresh") { return .status(401) }
        let number = count.next()
        return .json(#"{"accessToken": "a\#(number)", "refreshToken": "r\#(number)", "expiresIn": 600}"#)
      }
      let accepted = "Bearer a\(count.last)"
      return request.headers["Authorization"] == accepted ? .json("[]") : .status(401)
    }
  }

  private final class Counter: @unchecked Sendable {
    // Safe: behind its lock.
    private let lock = NSLock()
    private var count = 0
    var last: Int { lock.withLock { count } }
    func next() -> Int {
      lock.withLock {
        count += 1
        return count
      }
    }
  }

  @Test func aTokenIsRefreshed() async throws {
    let (api, stub) = (api, server())
    let vault = MemoryVault(Granted(accessToken: "old", refreshToken: "r0", expiresIn: 600))
    let transport: any HTTPTransport = stub
    // snippet: bearer
    let plain = HTTPClient(baseURL: api, transport: transport)
    let bearer = BearerAuthentication(SessionTokens(vault: vault, client: plain))
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(bearer)
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: transport)
    // snippet end
    _ = try await client.request(.payments(limit: 1))
    #expect(stub.requests.count == 3)
    #expect(await vault.granted()?.refreshToken == "r1")
  }

  @Test func theUserIsAsked() async throws {
    let stub = server(refusing: true)
    let plain = HTTPClient(baseURL: api, transport: stub)
    let vault: any Vault = MemoryVault(Granted(accessToken: "old", refreshToken: "r0", expiresIn: 600))
    let bearer = BearerAuthentication(SessionTokens(vault: vault, client: plain))
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(bearer)
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: stub)
    await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 1)) }
    var isPaused = false
    // snippet: states
    for await state in bearer.states {
      isPaused = state == .needsSignIn
      if isPaused { break }
    }
    // snippet end
    #expect(isPaused)
    let (user, password) = ("kim", "secret")
    // snippet: signed in
    let granted = try await plain.request(.signIn(user: user, password: password))
    try await vault.keep(granted)
    bearer.signedIn(granted.token)
    // snippet end
    _ = try await client.request(.payments(limit: 1))
    #expect(bearer.state == .ready)
  }

  @Test func otherWays() async throws {
    let stub = TransportStub { _ in .json("[]") }
    var configuration = HTTPClient.Configuration()
    let (password, key) = ("secret", "key")
    // snippet: basic
    configuration.authentication = .basic(user: "kiosk", password: password)
    // snippet end
    _ = try await HTTPClient(baseURL: api, configuration: configuration, transport: stub).request(.payments(limit: 1))
    // snippet: custom
    configuration.authentication = .custom(APIKey(key: key))
    // snippet end
    _ = try await HTTPClient(baseURL: api, configuration: configuration, transport: stub).request(.payments(limit: 1))
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Basic a2lvc2s6c2VjcmV0", nil])
    #expect(stub.requests.map { $0.headers["X-API-Key"] } == [nil, "key"])
  }
}
