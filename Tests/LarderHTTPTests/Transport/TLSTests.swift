import Foundation
import LarderHTTP
import LarderTesting
import Testing

@Suite struct TLSTests {
  private let authority: TestCertificateAuthority
  private let answer = Wire.json(#"["done"]"#)

  init() throws { authority = try TestCertificateAuthority() }

  private func server(_ identity: TestIdentity) throws -> ScriptedServer {
    let answer = answer
    return try ScriptedServer(identity: identity) { _ in [.receiveRequest, .send(answer), .restart] }
  }

  private func client(
    _ url: URL, pins: KeyPins = KeyPins(), authority: TestCertificateAuthority? = nil
  ) -> (HTTPClient, TestClock) {
    let clock = TestClock(advancesAutomatically: true)
    let pem = (authority ?? self.authority).certificate
    let transport = CurlTransport.direct { options in
      options.trustRoots = .only(pem: pem)
      options.pins = pins
    }
    return (.ofFaults(url, clock: clock, transport: transport), clock)
  }

  @Test func aTrustedServer() async throws {
    let server = try server(authority.identity())
    defer { server.stop() }
    let (client, _) = client(server.url())
    let response = try await client.response(to: Endpoint<Void>.get("/x"))
    #expect(response.metrics.tls >= response.metrics.connect && response.metrics.connect > .zero)
    _ = try await client.request(Endpoint<[String]>.post("/x", body: .json([1])))
    #expect(server.connectionCount == 1 && server.requests.count == 2)
  }

  enum Distrust: CaseIterable, Sendable {
    case otherHost, expired, notYetValid, otherAuthority, ofTheSystem

    func identity(of authority: TestCertificateAuthority) throws -> TestIdentity {
      switch self {
      case .otherHost: try authority.identity(hosts: ["example.org", "127.0.0.2"])
      case .expired: try authority.identity(validFrom: .seconds(-7_200), validUntil: .seconds(-3_600))
      case .notYetValid: try authority.identity(validFrom: .seconds(3_600))
      case .otherAuthority, .ofTheSystem: try TestCertificateAuthority(name: "Another").identity()
      }
    }
  }

  /// What is not trusted is asked once, whatever the method, and sees nothing.
  @Test(arguments: Distrust.allCases, Fault.Request.allCases)
  func whatIsNotTrusted(_ distrust: Distrust, _ request: Fault.Request) async throws {
    let server = try server(distrust.identity(of: authority))
    defer { server.stop() }
    var (client, clock) = client(server.url())
    if distrust == .ofTheSystem { client = .ofFaults(server.url(), clock: clock) }
    let error = await failure { () async throws(HTTPError) in try await client.request(request.endpoint) }
    #expect(error?.kind == .notSent(.untrustedCertificate))
    #expect(error?.delivery == .notSent)
    #expect(error?.attempts == 1 && clock.sleeps.isEmpty)
    #expect(server.requests.isEmpty)
  }

  @Test func pins() async throws {
    let identity = try authority.identity()
    let server = try server(identity)
    defer { server.stop() }
    let right = try KeyPins.Pin(sha256: identity.publicKeySHA256)
    let other = try KeyPins.Pin(sha256: authority.identity().publicKeySHA256)

    func asked(_ pins: Set<KeyPins.Pin>, host: String = "127.0.0.1", authority: TestCertificateAuthority? = nil)
      async throws
      -> HTTPError
      .Kind?
    {
      var all = KeyPins()
      try all.pin(host, to: pins)
      let (client, _) = client(server.url(), pins: all, authority: authority)
      do throws(HTTPError) {
        _ = try await client.request(Endpoint<[String]>.put("/x"))
        return nil
      } catch {
        if error.kind == .pinMismatch(host: "127.0.0.1") { #expect(error.delivery == .notSent && error.attempts == 1) }
        return error.kind
      }
    }
    #expect(try await asked([right]) == nil)
    #expect(try await asked([other, right]) == nil)
    #expect(try await asked([other]) == .pinMismatch(host: "127.0.0.1"))
    #expect(try await asked([]) == .pinMismatch(host: "127.0.0.1"))
    #expect(try await asked([other], host: "other.org") == nil)
    // A pin is no trust: the chain must be right as well.
    #expect(
      try await asked([right], authority: try TestCertificateAuthority(name: "Another"))
        == .notSent(.untrustedCertificate))
    #expect(server.requests.count == 3)
  }

  @Test func pinsByHost() throws {
    let a = try KeyPins.Pin(sha256: Data(repeating: 1, count: 32))
    let b = try KeyPins.Pin(base64: "sha256//" + Data(repeating: 2, count: 32).base64EncodedString())
    #expect(try KeyPins.Pin(base64: b.sha256.base64EncodedString()) == b)
    var pins = KeyPins()
    try pins.pin("API.example.org", to: [a])
    try pins.pin("*.example.org", to: [b])
    #expect(pins.pins(for: "api.example.org") == [a])
    #expect(pins.pins(for: "api.EXAMPLE.org.") == [a])
    #expect(pins.pins(for: "www.example.org") == [b])
    #expect(pins.pins(for: "a.b.example.org") == nil)
    #expect(pins.pins(for: "example.org") == nil)
    #expect(pins.pins(for: "") == nil)
    // As addresses have them, however they are written.
    try pins.pin("API.example.com.", to: [a])
    try pins.pin("*.Example.com.", to: [b])
    try pins.pin("Bücher.example", to: [a])
    try pins.pin("*.bücher.example", to: [b])
    try pins.pin("::1", to: [a])
    #expect(pins.pins(for: "api.example.com") == [a] && pins.pins(for: "www.example.com") == [b])
    for (address, expected) in [
      ("https://bücher.example/", a), ("https://xn--bcher-kva.example./", a), ("https://www.BÜCHER.example", b),
      ("https://[::1]:8443/", a),
    ] {
      let host = try #require(URL(string: address)?.host())
      #expect(pins.pins(for: host) == [expected], "\(host)")
    }
  }

  @Test(arguments: Fault.Request.allCases)
  func aServerThatSpeaksNoTLS(_ request: Fault.Request) async throws {
    let server = try ScriptedServer { _ in [.receive(bytes: 10), .send("HTTP/1.1 400 Bad Request\r\n\r\n")] }
    defer { server.stop() }
    var url = URLComponents(url: server.url(), resolvingAgainstBaseURL: false)!
    url.scheme = "https"
    let (client, _) = client(url.url!)
    let error = await failure { () async throws(HTTPError) in try await client.request(request.endpoint) }
    #expect(error?.kind == .notSent(.tls))
    #expect(error?.delivery == .notSent && error?.attempts == 3)
  }

  @Test(arguments: Fault.Request.allCases)
  func aHandshakeThatStalls(_ request: Fault.Request) async throws {
    let server = try ScriptedServer { _ in [.stall] }
    defer { server.stop() }
    var url = URLComponents(url: server.url(), resolvingAgainstBaseURL: false)!
    url.scheme = "https"
    let (client, clock) = client(url.url!)
    let error = await failure { () async throws(HTTPError) in
      try await client.request(request.endpoint.with { $0.deadlines = Deadlines(connect: .milliseconds(100)) })
    }
    #expect(error?.kind == .deadline(.connect))
    #expect(error?.delivery == .notSent && error?.attempts == 3)
    #expect(clock.sleeps.count == 2)
  }

  /// Nothing is wrong with the server's TLS, to which its words would point.
  @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func authoritiesWithoutACertificate(_ text: String) async throws {
    let server = try server(authority.identity())
    defer { server.stop() }
    let client = HTTPClient.ofFaults(
      server.url(), clock: TestClock(advancesAutomatically: true),
      transport: .direct { $0.trustRoots = .only(pem: Data(text.utf8)) })
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .invalidRequest(.trustRoots) && error?.delivery == .notSent && error?.attempts == 1)
    #expect(error?.description.contains("ca-certificates") == true && server.requests.isEmpty)
  }

  /// What libcurl does not take would leave the system's authorities, or no pin: nothing is asked then.
  @Test func whatCannotBeSetIsRefused() async throws {
    let closed = try ClosedPort()
    var url = URLComponents(url: closed.url, resolvingAgainstBaseURL: false)!
    url.scheme = "https"
    func asked(_ change: (inout CurlTransport.Options) throws -> Void) async throws -> HTTPError? {
      let transport = try CurlTransport.direct(change)
      let client = HTTPClient.ofFaults(url.url!, clock: TestClock(advancesAutomatically: true), transport: transport)
      return await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    }
    // Longer than libcurl takes anything to be.
    let long = Data(repeating: 0x0A, count: 8_000_001)
    let authorities = try await asked { $0.trustRoots = .only(pem: long) }
    let pins = try await asked { options in
      let pins = (0..<152_000).compactMap { number in
        try? KeyPins.Pin(sha256: withUnsafeBytes(of: number) { Data($0) } + Data(count: 24))
      }
      try options.pins.pin("127.0.0.1", to: Set(pins))
    }
    for error in [authorities, pins] {
      guard case .invalidRequest = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(error?.delivery == .notSent && error?.attempts == 1)
    }
  }
}
