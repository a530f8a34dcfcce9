import Foundation
import Larder
import LarderSecrets
import LarderTesting
import Testing

/// The steps of Authentication.md, each run.
@Suite struct AuthenticationArticleTests {
  private let api = URL(string: "https://api.example")!

  /// Grants `a1`, `a2` and so on, and accepts what was granted last.
  private func server(refusing isRefused: Bool = false) -> TransportStub {
    let count = Counter()
    return TransportStub { request in
      if request.url.path().contains("session") {
        if isRefused, request.url.path().hasSuffix("refresh") { return .status(401) }
        let number = count.next()
        return .json(#"{"accessToken": "a\#(number)", "refreshToken": "r\#(number)", "expiresIn": 1e300}"#)
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

  /// A store with a session of before.
  private func secrets(expiresIn: Double) async throws -> any SecretStore {
    let secrets = MemorySecretStore()
    let granted = Granted(accessToken: "old", refreshToken: "r0", expiresIn: expiresIn)
    #expect(try await SessionVault(secrets).keep(granted).value == "old")
    return secrets
  }

  @Test func aTokenIsRefreshed() async throws {
    let (api, stub) = (api, server())
    let secrets = try await secrets(expiresIn: 600)
    let transport: any HTTPTransport = stub
    // snippet: bearer
    let plain = HTTPClient(baseURL: api, transport: transport)
    let vault = SessionVault(secrets)
    let bearer = BearerAuthentication(SessionTokens(vault: vault, client: plain))
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(bearer)
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: transport)
    // snippet end
    _ = try await client.request(.payments(limit: 1))
    #expect(stub.requests.count == 3)
    let kept = try #require(try await vault.kept())
    #expect(kept.refreshToken == "r1" && kept.accessToken == "a1" && kept.expiry != nil)
  }

  /// What has expired while the program did not run is not shown.
  @Test func anEndIsStored() async throws {
    let stub = server()
    let source = SessionTokens(
      vault: SessionVault(try await secrets(expiresIn: -1)), client: HTTPClient(baseURL: api, transport: stub))
    #expect(try await source.token()?.lifetime == .zero)
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(BearerAuthentication(source))
    _ = try await HTTPClient(baseURL: api, configuration: configuration, transport: stub)
      .request(.payments(limit: 1))
    #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, "Bearer a1"])
  }

  /// What a server of OAuth 2.0 is asked, and what comes of its answers.
  @Test func aServerOfOAuth() async throws {
    let stub = TransportStub { request in
      guard request.url.path() == "/oauth/token" else {
        return request.headers["Authorization"] == "Bearer a2" ? .json("[]") : .status(401)
      }
      return .json(#"{"access_token": "a2", "token_type": "Bearer", "expires_in": 3600}"#)
    }
    let vault = SessionVault(try await secrets(expiresIn: -1))
    var configuration = HTTPClient.Configuration()
    let tokens = OAuthTokens(vault: vault, client: HTTPClient(baseURL: api, transport: stub))
    configuration.authentication = .bearer(BearerAuthentication(tokens))
    _ = try await HTTPClient(baseURL: api, configuration: configuration, transport: stub)
      .request(.payments(limit: 1))
    let asked = try #require(stub.requests.first)
    #expect(
      asked.body?.contentType == "application/x-www-form-urlencoded" && asked.headers["Authorization"] == nil)
    let kept = try #require(try await vault.kept())
    #expect(kept.accessToken == "a2" && kept.refreshToken == "r0")
  }

  /// A keyring that is locked.
  private struct Locked: SecretStore {
    func secret(for name: SecretName) async throws(SecretError) -> Secret? { throw .locked }
    func set(_ secret: Secret, for name: SecretName) async throws(SecretError) { throw .locked }
    func remove(_ name: SecretName) async throws(SecretError) { throw .locked }
    func names(of service: String) async throws(SecretError) -> [SecretName] { throw .locked }
  }

  @Test func aStoreThatIsLocked() async throws {
    let stub = server()
    let source = SessionTokens(vault: SessionVault(Locked()), client: HTTPClient(baseURL: api, transport: stub))
    let bearer = BearerAuthentication(source)
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(bearer)
    configuration.retry = .never
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: stub)
    for _ in 0..<5 {
      let error = await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 1)) }
      #expect(error?.kind == .credentialsUnavailable && error?.delivery == .notSent && bearer.state == .ready)
    }
    #expect(stub.requests.isEmpty)
  }

  private actor Queue {
    private(set) var pauses: [Bool] = []
    func setPaused(_ isPaused: Bool) { pauses.append(isPaused) }

    /// Waits for a minute at most, in which others have their turns.
    func expect(_ expected: [Bool], location: SourceLocation = #_sourceLocation) async throws {
      for _ in 0..<60_000 where pauses != expected { try await Task.sleep(for: .milliseconds(1)) }
      try #require(pauses == expected, sourceLocation: location)
    }
  }

  @Test func theUserIsAsked() async throws {
    let stub = server(refusing: true)
    let plain = HTTPClient(baseURL: api, transport: stub)
    let vault = SessionVault(try await secrets(expiresIn: 600))
    let bearer = BearerAuthentication(SessionTokens(vault: vault, client: plain))
    var configuration = HTTPClient.Configuration()
    configuration.authentication = .bearer(bearer)
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: stub)
    await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 1)) }
    #expect(bearer.state == .needsSignIn)
    let queue = Queue()
    // snippet: states
    let watching = Task {
      for await state in bearer.states { await queue.setPaused(state == .needsSignIn) }
    }
    // snippet end
    try await queue.expect([true])
    let (user, password) = ("kim", "secret")
    // snippet: signed in
    let granted = try await plain.request(.signIn(user: user, password: password))
    try await bearer.signIn(with: granted.token) { _ = try await vault.keep(granted) }
    // snippet end
    _ = try await client.request(.payments(limit: 1))
    try await queue.expect([true, false])
    #expect(try await vault.kept()?.refreshToken == "r1")
    // snippet: signed out
    await bearer.signOut()
    try await vault.forget()
    // snippet end
    try await queue.expect([true, false, true])
    watching.cancel()
    #expect(try await vault.kept() == nil)
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
