import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Refusals and refreshes over real connections.
@Suite struct AuthenticationSocketTests {
  private struct Granted: Decodable, Sendable {
    let token: String
  }

  /// Asks the server itself for new tokens.
  private struct Session: BearerTokenSource {
    let client: HTTPClient

    func token() async throws -> BearerToken? { BearerToken("old") }

    func refresh(_ old: BearerToken) async throws -> BearerToken {
      BearerToken(try await client.request(Endpoint<Granted>.post("/token")).token)
    }
  }

  private func client(_ url: URL, _ authentication: (HTTPClient) -> ClientAuthentication) -> HTTPClient {
    let transport = CurlTransport.direct()
    let plain = HTTPClient.ofFaults(url, clock: TestClock(), transport: transport)
    return .ofFaults(url, clock: TestClock(), transport: transport) { $0.authentication = authentication(plain) }
  }

  /// Holds threads until so many have come.
  private final class Encounter: @unchecked Sendable {
    // Safe: the count is touched under the condition's lock alone.
    private let condition = NSCondition()
    private var missing: Int

    init(_ count: Int) { missing = count }

    func arrive() {
      condition.lock()
      missing -= 1
      if missing <= 0 { condition.broadcast() }
      while missing > 0 { condition.wait() }
      condition.unlock()
    }
  }

  @Test func aHundredRefusalsAreOneRefresh() async throws {
    let count = 100
    let meeting = Encounter(count)
    let refused = Wire.response("no", status: "401 Unauthorized", headers: ["WWW-Authenticate: Bearer"])
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          if request.target == "/token" { return [.send(Wire.json(#"{"token": "new"}"#))] }
          guard request.headers["authorization"] != "Bearer new" else { return [.send(Wire.json(#"["done"]"#))] }
          // Nobody is told before everybody has asked with the old token.
          meeting.arrive()
          return [.send(refused)]
        }, .restart,
      ]
    }
    defer { server.stop() }
    let client = client(server.url()) { .bearer(BearerAuthentication(Session(client: $0))) }
    let answers = try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<count {
        group.addTask {
          let post = Endpoint<[String]>.post("/things/\(number)", body: .json([number]))
          return try await client.request(post.with { $0.idempotencyKey = "key-\(number)" })
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: ["done"], count: count))
    let requests = server.requests
    #expect(requests.count { $0.target == "/token" } == 1)
    let calls = requests.filter { $0.target != "/token" }
    #expect(calls.count == 2 * count)
    // Each twice, with the same bytes and key.
    for (target, both) in Dictionary(grouping: calls, by: \.target) {
      #expect(both.map { $0.headers["authorization"] } == ["Bearer old", "Bearer new"], "\(target)")
      #expect(Set(both.map(\.body)).count == 1 && Set(both.map { $0.headers["idempotency-key"] }).count == 1)
    }
  }

  /// Credentials go over http to this machine alone, and so by no proxy, which is another one.
  @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST", "127.1"]) func aProxyIsNotShownThem(_ host: String)
    async throws
  {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .restart] }
    let proxy = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .restart] }
    defer {
      server.stop()
      proxy.stop()
    }
    let transport = CurlTransport.direct { $0.proxy = .address("http://127.0.0.1:\(proxy.port)") }
    let url = try #require(URL(string: "http://\(host):\(server.port)"))
    let client = HTTPClient.ofFaults(url, clock: TestClock(), transport: transport) {
      $0.authentication = .bearer(BearerAuthentication(CountingSource()))
    }
    _ = try await client.request(Endpoint<[String]>.get("/things"))
    #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t0"] && proxy.connectionCount == 0)
    // Anybody else's is asked by way of it.
    let other = HTTPClient.ofFaults(
      try #require(URL(string: "http://api.example")), clock: TestClock(), transport: transport)
    _ = try await other.request(Endpoint<[String]>.get("/things"))
    #expect(proxy.requests.count == 1)
  }

  @Test func aRefreshThatAlwaysFailsEndsInSigningIn() async throws {
    let refused = Wire.response("no", status: "401 Unauthorized")
    let server = try ScriptedServer { _ in [.receiveRequest, .send(refused), .restart] }
    defer { server.stop() }
    let client = client(server.url()) { .bearer(BearerAuthentication(Session(client: $0))) }
    let failures = await withTaskGroup(of: HTTPError?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.post("/things")) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.allSatisfy { $0?.kind == .needsSignIn && $0?.delivery == .notSent })
    let count = server.requests.count
    #expect(server.requests.count { $0.target == "/token" } == 1 && count <= 21)
    for _ in 0..<10 {
      let error = await failure { () async throws(HTTPError) in
        try await client.request(Endpoint<[String]>.post("/things"))
      }
      #expect(error?.kind == .needsSignIn)
    }
    #expect(server.requests.count == count)
  }

  /// A queue that pauses while the user is to sign in loses nothing, and sends nothing twice.
  @Test func aQueueIsKept() async throws {
    let refused = Wire.response("no", status: "401 Unauthorized")
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          [.send(request.headers["authorization"] == "Bearer new" ? Wire.json(#"["done"]"#) : refused)]
        }, .restart,
      ]
    }
    defer { server.stop() }
    let bearer = BearerAuthentication(CountingSource { _ in throw CredentialsRejectedError() })
    let client = client(server.url()) { _ in .bearer(bearer) }
    var queue = (0..<5).map { number in
      Endpoint<[String]>.post("/payments/\(number)", body: .json([number])).with { $0.idempotencyKey = "key-\(number)" }
    }
    var states = bearer.states.makeAsyncIterator()
    var pauses = 0
    while let next = queue.first, let state = await states.next() {
      if state == .needsSignIn {
        pauses += 1
        #expect(queue.count == 5)
        await bearer.signIn(with: BearerToken("new"))
        continue
      }
      do throws(HTTPError) {
        for endpoint in queue {
          _ = try await client.request(endpoint)
          queue.removeFirst()
        }
      } catch {
        #expect(error.kind == .needsSignIn && error.delivery == .notSent && next.idempotencyKey == "key-0")
      }
    }
    #expect(pauses == 1 && queue.isEmpty)
    let done = server.requests.filter { $0.headers["authorization"] == "Bearer new" }
    #expect(done.map(\.target) == (0..<5).map { "/payments/\($0)" })
    #expect(done.map { $0.headers["idempotency-key"] } == (0..<5).map { "key-\($0)" })
    #expect(server.requests.count == 6)
  }

  /// A body that goes piece by piece, and one from a file, are whole the second time, on the connection that is there.
  @Test func largeBodiesAreReplayed() async throws {
    let refused = Wire.response(String(repeating: "no", count: 1_000), status: "401 Unauthorized")
    let (head, rest) = (String(refused.dropLast(1_000)), String(refused.suffix(1_000)))
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          guard request.headers["authorization"] != "Bearer t1" else { return [.send(Wire.json(#"["done"]"#))] }
          return [.send(head), .wait(.milliseconds(50)), .send(rest)]
        }, .restart,
      ]
    }
    defer { server.stop() }
    let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for body in [RequestBody.data(data), .file(file)] {
      let client = client(server.url()) { _ in .bearer(BearerAuthentication(CountingSource())) }
      let (requests, connections) = (server.requests.count, server.connectionCount)
      _ = try await client.request(Endpoint<[String]>.put("/things", body: body))
      #expect(server.requests.dropFirst(requests).map(\.body) == [data, data])
      #expect(server.connectionCount == connections + 1)
    }
  }

  /// Of a refusal that never ends only the beginning is read, and what it refuses goes out again.
  @Test func aLargeRefusalIsReplayed() async throws {
    let bomb = GzipEncoder.gzip(zeros: 5 << 20)
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          guard request.headers["authorization"] != "Bearer t1" else { return [.send(Wire.json(#"["done"]"#))] }
          return [
            .send("HTTP/1.1 401 Unauthorized\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send(String(bomb.count, radix: 16) + "\r\n"), .sendData(bomb), .stall,
          ]
        },
      ]
    }
    defer { server.stop() }
    let client = client(server.url()) { _ in .bearer(BearerAuthentication(CountingSource())) }
    #expect(try await client.request(Endpoint<[String]>.put("/things", body: .json([1]))) == ["done"])
    #expect(server.requests.map(\.body) == [Data("[1]".utf8), Data("[1]".utf8)])
  }

  /// While the token's server is away nothing is lost, and nobody is signed out.
  @Test func aRefreshWithoutANetwork() async throws {
    let closed = try ClosedPort()
    let refused = Wire.response("no", status: "401 Unauthorized")
    let server = try ScriptedServer { _ in [.receiveRequest, .send(refused), .restart] }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let away = HTTPClient.ofFaults(closed.url, clock: clock) { $0.retry = .never }
    let bearer = BearerAuthentication(Session(client: away), clock: clock)
    let client = HTTPClient.ofFaults(server.url(), clock: clock) {
      $0.authentication = .bearer(bearer)
      $0.retry = .never
    }
    for _ in 0..<5 {
      let error = await failure { () async throws(HTTPError) in
        try await client.request(Endpoint<[String]>.post("/things"))
      }
      #expect(error?.kind == .credentialsUnavailable && error?.delivery == .notSent && bearer.state == .ready)
      #expect((error?.underlying as? HTTPError)?.kind == .notSent(.connectionRefused))
    }
    #expect(server.requests.count == 1)
  }

  @Test func anotherOriginIsNotGivenTheToken() async throws {
    let other = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json(#"["done"]"#)), .restart] }
    let moved = Wire.response("", status: "307 Temporary Redirect", headers: ["Location: \(other.url("/end"))"])
    let first = try ScriptedServer { _ in [.receiveRequest, .send(moved), .restart] }
    defer {
      first.stop()
      other.stop()
    }
    let client = client(first.url()) { _ in .bearer(BearerAuthentication(CountingSource())) }
    let done = try await client.request(Endpoint<[String]>.put("/start", body: .json([1])))
    #expect(done == ["done"] && first.requests.map { $0.headers["authorization"] } == ["Bearer t0"])
    #expect(other.requests.count == 1 && other.requests[0].headers["authorization"] == nil)
  }
}
