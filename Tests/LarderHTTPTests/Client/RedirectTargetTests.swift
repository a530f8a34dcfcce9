import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Where redirects lead, and what is said where that fails.
@Suite(.timeLimit(.minutes(1))) struct RedirectTargetTests {
  /// A server that redirects `/old`, and a client of it.
  private func server(to location: @escaping @Sendable (UInt16) -> String) throws -> ScriptedServer {
    let port = Mutex<UInt16>(0)
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond { request in
          let target = location(port.withLock { $0 })
          return [
            .send(
              request.target == "/old"
                ? Wire.response("", status: "302 Found", headers: ["Location: " + target]) : Wire.json("[]"))
          ]
        }, .restart,
      ]
    }
    port.withLock { $0 = server.port }
    return server
  }

  private func client(
    _ server: ScriptedServer, _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    .ofFaults(server.url(), clock: TestClock(advancesAutomatically: true), change)
  }

  @Test func bracketsAreEncodedOnce() async throws {
    let server = try server { _ in "/search?filter[name]=J%C3%BCrgen&back=%2Fhome" }
    defer { server.stop() }
    _ = try await client(server).response(to: .get("/old"))
    #expect(server.requests.map(\.target) == ["/old", "/search?filter%5Bname%5D=J%C3%BCrgen&back=%2Fhome"])
  }

  @Test func aHostThatIsNotASCII() async throws {
    let server = try server { "http://bücher.localhost:\($0)/new" }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/old"))
    #expect(response.head.url.absoluteString == "http://xn--bcher-kva.localhost:\(server.port)/new")
    #expect(server.requests.last?.headers["host"] == "xn--bcher-kva.localhost:\(server.port)")
  }

  @Test(arguments: ["http://127.0.0.1:99999/new", "http://127.0.0.1:0/", "http://a b/", "http://[::1/", "http:///"])
  func whatIsNoAddressIsAnErrorAtOnce(_ target: String) async throws {
    let server = try server { _ in target }
    defer { server.stop() }
    let client = client(server)
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/old")) }
    #expect(error?.kind == .redirect(.noLocation) && error?.attempts == 1 && error?.status == 302)
  }

  /// A base that cannot be asked, either.
  @Test(arguments: ["http://127.0.0.1:99999", "http://h:0", "http://h:99999999999999999999"])
  func aBaseWhosePortIsNone(_ base: String) async throws {
    let url = try #require(URL(string: base))
    let client = HTTPClient(baseURL: url, transport: CurlTransport.direct())
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .invalidRequest(.url) && (error?.attempts ?? 9) <= 1)
    let own = await failure { () async throws(HTTPError) in try await client.response(to: HTTPRequest(.get, url)) }
    #expect(own?.kind == .invalidRequest(.url) && own?.attempts == 1)
  }

  @Test func aHostThatIsDownIsNamed() async throws {
    let closed = try ClosedPort()
    let port = try #require(closed.url.port)
    let server = try server { _ in "http://127.0.0.1:\(port)/secret?token=1" }
    defer { server.stop() }
    let client = client(server)
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/old")) }
    #expect(error?.kind == .maybeSent(.connectionRefused) && error?.redirectedTo == "http://127.0.0.1:\(port)")
    #expect(error?.description.contains("GET /old: redirected to http://127.0.0.1:\(port): ") == true)
    #expect(error?.description.contains("secret") == false)
  }

  /// An answer of another origin is not the first one's; one of the same is.
  @Test(arguments: [true, false])
  func aRefusalElsewhereIsNamed(_ isElsewhere: Bool) async throws {
    let stub = TransportStub { request in
      request.url.path() == "/old"
        ? .status(302, headers: ["Location": isElsewhere ? "https://files.example/x" : "/x"]) : .status(404)
    }
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, transport: stub)
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/old")) }
    #expect(error?.kind == .unacceptableStatus(404))
    #expect(error?.redirectedTo == (isElsewhere ? "https://files.example" : nil))
  }

  /// Credentials in an address are the request's own, and no server's.
  @Test func credentialsOfALocationAreNotSent() async throws {
    let server = try server { "http://u:p@127.0.0.1:\($0)/new" }
    defer { server.stop() }
    let response = try await client(server).response(to: .get("/old"))
    #expect(server.requests.last?.headers["authorization"] == nil && response.head.url.user() == nil)
  }
}
