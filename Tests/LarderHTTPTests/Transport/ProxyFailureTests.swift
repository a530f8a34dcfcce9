import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// What a proxy fails with is said of the proxy, and not of the server.
@Suite(.timeLimit(.minutes(1))) struct ProxyFailureTests {
  private func failed(_ proxy: String, _ target: String = "https://api.example.invalid") async -> HTTPError? {
    let transport = CurlTransport.direct { $0.proxy = .address(proxy) }
    let client = HTTPClient.ofFaults(
      URL(string: target)!, clock: TestClock(advancesAutomatically: true), transport: transport)
    return await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
  }

  /// A proxy that refuses to connect: its status is told, and what stays as it is is not tried again.
  @Test(arguments: [(407, 1), (403, 1), (400, 1), (502, 3), (503, 3), (429, 3)])
  func aProxyThatRefuses(_ status: Int, _ attempts: Int) async throws {
    let proxy = try ScriptedServer { _ in
      [.receiveHead, .send(Wire.response("", status: "\(status) No")), .restart]
    }
    defer { proxy.stop() }
    let error = await failed("http://user:secret@127.0.0.1:\(proxy.port)")
    #expect(error?.kind == .notSent(.proxy) && error?.delivery == .notSent && error?.attempts == attempts)
    #expect(error?.proxy == ProxyFailure(address: "http://127.0.0.1:\(proxy.port)", status: status))
    #expect(error?.status == nil)
    let text = try #require(error?.description)
    #expect(text.contains("127.0.0.1:\(proxy.port)") && text.contains("\(status)") && !text.contains("secret"))
    if status == 407 { #expect(text.contains("password")) }
    #expect(!text.contains("is the server running"))
  }

  @Test func aProxyThatIsNotThere() async throws {
    let closed = try ClosedPort()
    let port = try #require(closed.url.port)
    for target in ["https://api.example.invalid", "http://api.example.invalid"] {
      let error = await failed("127.0.0.1:\(port)", target)
      #expect(error?.kind == .notSent(.proxy) && error?.proxy == ProxyFailure(address: "http://127.0.0.1:\(port)"))
      #expect(error?.description.contains("127.0.0.1:\(port) does not answer") == true)
    }
  }

  @Test func aProxyThatClosesTheConnection() async throws {
    let proxy = try ScriptedServer { _ in [.receiveHead, .close] }
    defer { proxy.stop() }
    let error = await failed("http://127.0.0.1:\(proxy.port)")
    #expect(error?.kind == .notSent(.proxy) && error?.proxy?.status == nil && error?.proxy != nil)
  }

  /// Without TLS the proxy answers in the server's place.
  @Test func aProxyThatWantsAPassword() async throws {
    let proxy = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("", status: "407 No")), .restart] }
    defer { proxy.stop() }
    let error = await failed("http://127.0.0.1:\(proxy.port)", "http://api.example.invalid")
    #expect(error?.kind == .unacceptableStatus(407) && error?.attempts == 1 && error?.advice.contains("proxy") == true)
  }

  /// What fails behind a proxy that has connected is the server's.
  @Test func aServerBehindAProxy() async throws {
    let proxy = try ScriptedServer { _ in
      [.receiveHead, .send("HTTP/1.1 200 Connected\r\n\r\n"), .receive(bytes: 1), .send("no TLS"), .close]
    }
    defer { proxy.stop() }
    let error = await failed("http://127.0.0.1:\(proxy.port)")
    #expect(error != nil && error?.kind != .notSent(.proxy) && error?.proxy == nil)
  }
}
