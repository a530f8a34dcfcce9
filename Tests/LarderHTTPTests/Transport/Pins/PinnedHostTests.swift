import Foundation
import LarderTesting
import Testing

@testable import LarderHTTP

/// Which addresses a pinned host is meant by, and what is no host.
@Suite struct PinnedHostTests {
  private let authority: TestCertificateAuthority
  private let answer = Wire.json(#"["done"]"#)

  init() throws { authority = try TestCertificateAuthority() }

  private func pin(_ identity: TestIdentity) throws -> KeyPins.Pin {
    try KeyPins.Pin(sha256: identity.publicKeySHA256)
  }

  private func server(_ answer: String, _ identity: TestIdentity? = nil) throws -> ScriptedServer {
    try ScriptedServer(identity: identity) { _ in [.receiveRequest, .send(answer), .restart] }
  }

  private func url(_ server: ScriptedServer, _ host: String) throws -> URL {
    try #require(URL(string: "https://\(host):\(server.port)"))
  }

  /// What asking a server once fails with.
  private func error(_ url: URL, _ pins: KeyPins) async -> HTTPError? {
    let transport = CurlTransport.direct { options in
      options.trustRoots = .only(pem: authority.certificate)
      options.pins = pins
    }
    let client = HTTPClient.ofFaults(url, clock: TestClock(advancesAutomatically: true), transport: transport)
    do throws(HTTPError) {
      _ = try await client.request(Endpoint<[String]>.put("/v1/things"))
      return nil
    } catch {
      return error
    }
  }

  /// The spellings that libcurl and the system take for an address.
  @Test func spellingsOfAnAddress() throws {
    let spellings = [
      "127.0.0.1": [
        "127.1", "127.0.1", "2130706433", "0x7f.1", "0X7F000001", "0177.0.0.1", "017700000001", "127.000.000.001",
        "127.0.0.1.", "%31%32%37.1", "127。0。0。1",
      ],
      "::1": ["[0:0:0:0:0:0:0:1]", "[::0001]", "[::1%25lo]", "[::0.0.0.1]"],
      "fe80::a1": ["[FE80::A1]", "[fe80:0::00a1%25eth0]", "[fe80::a1%25%41]"],
    ]
    let pin = try pin(authority.identity())
    for (form, others) in spellings {
      for spelling in others {
        var pins = KeyPins()
        try pins.pin(form, to: [pin])
        let url = try #require(URL(string: "https://\(spelling):8443/"))
        #expect(pins.pins(for: try #require(url.host())) == [pin], "\(spelling)")
        #expect(pins.pins(for: spelling) == [pin], "\(spelling)")
        var spelled = KeyPins()
        try spelled.pin(spelling, to: [pin])
        #expect(spelled.pins(for: form) == [pin], "\(spelling)")
        #expect(spelled == pins, "\(spelling)")
      }
    }
  }

  /// What is like an address and none is not taken for one.
  @Test(arguments: ["127.0.0.2", "127.2", "256.1", "4294967296", "0x.1", "1.2.3.4.5", "127..1", "[::2]", "127.1.org"])
  func anotherAddress(_ host: String) throws {
    var pins = KeyPins()
    try pins.pin("127.0.0.1", to: [])
    try pins.pin("::1", to: [])
    #expect(pins.pins(for: host) == nil)
  }

  @Test(arguments: ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.000.000.001"])
  func anAddressThatIsSpelledOtherwise(_ host: String) async throws {
    let identity = try authority.identity()
    let server = try server(answer, identity)
    defer { server.stop() }
    var pins = KeyPins()
    try pins.pin("127.0.0.1", to: [try pin(authority.identity())])
    let error = await error(try url(server, host), pins)
    #expect(error?.kind == .pinMismatch(host: host) && error?.delivery == .notSent && server.requests.isEmpty)
    try pins.pin(host, to: [try pin(identity)])
    #expect(await self.error(server.url(), pins) == nil)
  }

  /// A redirect to the pinned host by another spelling is to a pinned host, and held to its pins.
  @Test func aRedirectToAnAddressThatIsSpelledOtherwise() async throws {
    let identity = try authority.identity()
    let end = try server(answer, identity)
    let moved = Wire.response("", status: "307 Temporary Redirect", headers: ["Location: \(try url(end, "127.1"))"])
    let first = try server(moved, identity)
    let unpinned = try server(moved, authority.identity(hosts: ["localhost"]))
    defer {
      end.stop()
      first.stop()
      unpinned.stop()
    }
    var pins = KeyPins()
    try pins.pin("127.0.0.1", to: [try pin(identity)])
    #expect(await error(first.url(), pins) == nil && end.requests.count == 1)
    try pins.pin("127.0.0.1", to: [try pin(authority.identity())])
    #expect(await error(try url(unpinned, "localhost"), pins)?.kind == .pinMismatch(host: "127.1"))
    #expect(end.requests.count == 1)
  }

  @Test func thisMachine() throws {
    for host in [
      "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.255.0.9", "127.256", "127.1", "2130706433", "0x7f.1",
      "0177.0.0.1", "127.000.000.001", "[::1]", "[::0001]", "[0:0:0:0:0:0:0:1]",
    ] {
      #expect(try #require(URL(string: "http://\(host):80/")).isLoopback, "\(host)")
    }
    for host in [
      "128.0.0.1", "0127.0.0.1", "127.0.0.1.org", "127", "126.1", "0.0.0.0", "127.0.256.1", "127..1", "[::2]", "[::]",
      "[::1%25lo]", "[::127.0.0.1]", "localhost.org", "notlocalhost", "127.0.0.1%20", "127.0.0.1%00", "x127.1",
      // With the dot it is a name, which is asked of the network.
      "127.0.0.1.", "127.1.",
    ] {
      guard let url = URL(string: "http://\(host):80/") else { continue }
      #expect(!url.isLoopback, "\(host)")
    }
  }

  /// What would match nothing holds all back, also what is for other hosts.
  @Test(
    arguments: [
      "https://api.example.org", "api.example.org:443", "api.example.org/", "user@api.example.org", " api.example.org",
      "api.example.org\n", "api example.org", "*", "*.", "*example.org", "**.example.org", "*.*.org", "api.*.org", "",
      ".", ".example.org", "*..example.org", "api..example.org", "api.example.org..", "api.example.org?", "100%.org",
      "[::1]:443", "[::1", "::g", "*.127.0.0.1", "*.0.0.1", "*.[::1]", "a／b.org",
      "10.0.0.1:443", "https://10.0.0.1", "10.1/", "a%2Fb.org", "[::2]/", "[10.0.0.1]",
    ], [KeyPins.Mode.enforced, .reportOnly]) func noHost(_ pattern: String, _ mode: KeyPins.Mode) throws
  {
    var pins = KeyPins()
    try pins.pin("api.example.org", to: [])
    let before = pins
    #expect(throws: PinError.invalidHost(pattern)) { try pins.pin(pattern, to: [], mode: mode) }
    #expect(pins == before)
  }

  @Test func whatIsSaidOfNoHost() throws {
    #expect(
      PinError.invalidHost("api.example.org:443\n").description == """
        "api.example.org:443\\n" is no host, and cannot be pinned. Give a host alone, or *. before one; no scheme, port or \
        path.
        """)
  }

  @Test(
    arguments: [
      "api.example.org", "API.example.org.", "localhost", "*.localhost", "*.org", "*.example.org.", "Bücher.example",
      "*.bücher.example", "b%C3%BCcher.example", "xn--bcher-kva.example", "a_b-c.example.org", "10.1", "10.0.0.1",
      "::2", "[::2]", "fe80::1%eth0", "[fe80::1%25eth0]", "256.1",
    ]) func aHost(_ pattern: String) async throws
  {
    let server = try server(answer)
    defer { server.stop() }
    var pins = KeyPins()
    try pins.pin(pattern, to: [])
    #expect(await error(server.url(), pins) == nil && server.requests.count == 1)
  }
}
