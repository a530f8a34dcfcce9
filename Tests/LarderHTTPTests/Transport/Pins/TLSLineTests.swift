import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// What is promised of TLS: for each kind of server what comes of a request, and in which words.
@Suite struct TLSLineTests {
  private let authority: TestCertificateAuthority
  private let answer = Wire.json(#"["done"]"#)

  init() throws { authority = try TestCertificateAuthority() }

  private func server(_ identity: TestIdentity) throws -> ScriptedServer {
    let answer = answer
    return try ScriptedServer(identity: identity) { _ in [.receiveRequest, .send(answer), .restart] }
  }

  private func redirecting(
    to url: URL, host: String = "127.0.0.1"
  ) throws -> (server: ScriptedServer, pin: KeyPins.Pin) {
    let identity = try authority.identity(hosts: [host])
    let answer = Wire.response("", status: "307 Temporary Redirect", headers: ["Location: \(url)"])
    let server = try ScriptedServer(identity: identity) { _ in [.receiveRequest, .send(answer), .restart] }
    return (server, try KeyPins.Pin(sha256: identity.publicKeySHA256))
  }

  private func pin(_ identity: TestIdentity) throws -> KeyPins.Pin {
    try KeyPins.Pin(sha256: identity.publicKeySHA256)
  }

  /// Asks a server once, and tells of the events.
  private func asked(_ url: URL, _ pins: KeyPins) async -> (error: HTTPError?, events: [PinEvent]) {
    let events = Events()
    let transport = CurlTransport.direct { options in
      options.trustRoots = .only(pem: authority.certificate)
      options.pins = pins
      options.pinObserver = { events.add($0) }
    }
    let client = HTTPClient.ofFaults(url, clock: TestClock(advancesAutomatically: true), transport: transport)
    do throws(HTTPError) {
      let done = try await client.request(Endpoint<[String]>.put("/v1/things"))
      #expect(done == ["done"])
      return (nil, events.all)
    } catch {
      #expect(error.attempts == 1)
      return (error, events.all)
    }
  }

  private final class Events: Sendable {
    private let events = Mutex<[PinEvent]>([])
    func add(_ event: PinEvent) { events.withLock { $0.append(event) } }
    var all: [PinEvent] { events.withLock { $0 } }
  }

  private func pins(_ pins: Set<KeyPins.Pin>, mode: KeyPins.Mode = .enforced, host: String = "127.0.0.1") throws
    -> KeyPins
  {
    var all = KeyPins()
    try all.pin(host, to: pins, mode: mode)
    return all
  }

  private static let notSent = " The request was not sent, so it is safe to send it again."

  @Test func aGoodServer() async throws {
    let identity = try authority.identity()
    let server = try server(identity)
    defer { server.stop() }
    let (error, events) = await asked(server.url(), try pins([try pin(identity)]))
    #expect(error == nil && events.isEmpty && server.requests.count == 1)
  }

  @Test func aWrongPin() async throws {
    let identity = try authority.identity()
    let server = try server(identity)
    defer { server.stop() }
    let other = try pin(authority.identity())
    let (error, events) = await asked(server.url(), try pins([other]))
    #expect(error?.kind == .pinMismatch(host: "127.0.0.1") && error?.delivery == .notSent)
    #expect(
      error?.description == """
        PUT /v1/things: the key of 127.0.0.1 is not one that it is pinned to. Do not go on: the connection may be \
        intercepted. If the server's key was changed, ship its new pin. Nothing was sent.
        """)
    #expect(
      events == [
        PinEvent(.mismatch, host: "127.0.0.1", presented: [try pin(identity)], expected: [other], isRejected: true)
      ])
    #expect(server.requests.isEmpty)
  }

  @Test func aBackupPin() async throws {
    let identity = try authority.identity()
    let server = try server(identity)
    defer { server.stop() }
    let (error, events) = await asked(server.url(), try pins([try pin(authority.identity()), try pin(identity)]))
    #expect(error == nil && events.isEmpty && server.requests.count == 1)
  }

  enum Distrust: CaseIterable, Sendable {
    case expired, notYetValid, selfSigned, otherAuthority, otherHost

    func identity(of authority: TestCertificateAuthority) throws -> TestIdentity {
      switch self {
      case .expired: try authority.identity(validFrom: .seconds(-7_200), validUntil: .seconds(-3_600))
      case .notYetValid: try authority.identity(validFrom: .seconds(3_600))
      case .selfSigned: try .selfSigned()
      case .otherAuthority: try TestCertificateAuthority(name: "Another").identity()
      case .otherHost: try authority.identity(hosts: ["example.org", "127.0.0.2"])
      }
    }

    var problem: CertificateProblem {
      switch self {
      case .expired: .expired
      case .notYetValid: .notYetValid
      case .selfSigned: .selfSigned
      case .otherAuthority: .unknownAuthority
      case .otherHost: .hostMismatch
      }
    }

    var words: (summary: String, advice: String) {
      switch self {
      case .expired: ("it has expired", "Have the server's certificate renewed, if this device's clock is right.")
      case .notYetValid:
        ("it is not valid yet", "Check this device's clock, and from when the server's certificate is valid.")
      case .selfSigned:
        (
          "it is signed by itself",
          """
          Give the server a certificate of an authority, and the transport that authority \
          (CurlTransport.Options.trustRoots).
          """
        )
      case .otherAuthority:
        (
          "its authority is not known",
          """
          Give the transport the server's authority (CurlTransport.Options.trustRoots), if it is your own and this \
          network has no portal.
          """
        )
      case .otherHost:
        (
          "it is for another host", "Use a name that the server's certificate is for, if this network has no portal."
        )
      }
    }
  }

  /// The right pin does not make up for a certificate that is not trusted, and nobody is told of a pin then.
  @Test(arguments: Distrust.allCases, [KeyPins.Mode.enforced, .reportOnly])
  func whatIsNotTrusted(_ distrust: Distrust, _ mode: KeyPins.Mode) async throws {
    let identity = try distrust.identity(of: authority)
    let server = try server(identity)
    defer { server.stop() }
    let (error, events) = await asked(server.url(), try pins([try pin(identity)], mode: mode))
    #expect(error?.kind == .notSent(.untrustedCertificate) && error?.delivery == .notSent)
    #expect(error?.certificateProblem == distrust.problem)
    let words = distrust.words
    #expect(
      error?.description
        == "PUT /v1/things: not sent: the server's certificate is not trusted: \(words.summary). \(words.advice)"
        + Self.notSent)
    #expect(events.isEmpty && server.requests.isEmpty)
  }

  @Test func aRedirectToAnUnpinnedHost() async throws {
    let other = try server(authority.identity(hosts: ["localhost"]))
    let target = try #require(URL(string: "https://localhost:\(other.port)/v1/things"))
    let (server, pin) = try redirecting(to: target)
    defer {
      server.stop()
      other.stop()
    }
    let (error, events) = await asked(server.url(), try pins([pin]))
    #expect(error?.kind == .redirect(.unpinned(host: "localhost")) && error?.delivery == .responded)
    #expect(
      error?.description == """
        PUT /v1/things: a redirect was not followed: it leads from a pinned host to localhost, which has no pins \
        (status 307). Pin that host too, or allow redirects to hosts without pins.
        """)
    let event = PinEvent(
      .unpinnedRedirect(host: "localhost"), host: "127.0.0.1", expected: [pin], isRejected: true)
    #expect(events == [event] && other.requests.isEmpty)

    // Where that is allowed, and where only a report was asked for.
    var allowing = try pins([pin])
    allowing.allowsUnpinnedRedirects = true
    let allowed = await asked(server.url(), allowing)
    #expect(allowed.error == nil && allowed.events.isEmpty && other.requests.count == 1)
    let reported = await asked(server.url(), try pins([pin], mode: .reportOnly))
    #expect(reported.error == nil && other.requests.count == 2)
    #expect(reported.events.map(\.isRejected) == [false] && reported.events.map(\.problem) == [event.problem])
  }

  /// Hosts whose pins are only reported on are no way around those that hold.
  @Test func aBridgeToAnUnpinnedHost() async throws {
    let end = try server(authority.identity(hosts: ["b.localhost"]))
    let second = try redirecting(to: end.url(on: "b.localhost"), host: "a.localhost")
    let first = try redirecting(to: second.server.url(on: "a.localhost"))
    defer {
      end.stop()
      second.server.stop()
      first.server.stop()
    }
    func pins(_ one: KeyPins.Mode, _ other: KeyPins.Mode) throws -> KeyPins {
      var all = try self.pins([first.pin], mode: one)
      try all.pin("a.localhost", to: [second.pin], mode: other)
      return all
    }
    let problem = PinEvent.Problem.unpinnedRedirect(host: "b.localhost")
    for other in [KeyPins.Mode.reportOnly, .enforced] {
      let (error, events) = await asked(first.server.url(), try pins(.enforced, other))
      #expect(error?.kind == .redirect(.unpinned(host: "b.localhost")) && end.requests.isEmpty)
      // Of the nearest host whose pins hold.
      let (host, pin) = other == .reportOnly ? ("127.0.0.1", first.pin) : ("a.localhost", second.pin)
      #expect(events == [PinEvent(problem, host: host, expected: [pin], isRejected: true)])
    }
    let (error, events) = await asked(first.server.url(), try pins(.reportOnly, .reportOnly))
    #expect(error == nil && end.requests.count == 1)
    #expect(events == [PinEvent(problem, host: "a.localhost", expected: [second.pin], isRejected: false)])
  }

  /// Where no key is shown, none can be right.
  @Test func withoutTLS() async throws {
    let answer = answer
    let server = try ScriptedServer { _ in [.receiveRequest, .send(answer), .restart] }
    defer { server.stop() }
    let pin = try pin(authority.identity())
    let (error, events) = await asked(server.url(), try pins([pin]))
    #expect(
      error?.kind == .invalidRequest(.insecurePinnedHost) && error?.delivery == .notSent && server.requests.isEmpty)
    #expect(
      error?.description == """
        PUT /v1/things: the request cannot be sent (a pinned host over http). Use https for a host that is pinned.
        """)
    #expect(events == [PinEvent(.noTLS, host: "127.0.0.1", expected: [pin], isRejected: true)])
    let reported = await asked(server.url(), try pins([pin], mode: .reportOnly))
    #expect(reported.error == nil && server.requests.count == 1)
    #expect(reported.events == [PinEvent(.noTLS, host: "127.0.0.1", expected: [pin], isRejected: false)])
  }

  /// A redirect leads to a pinned host by `https`, or not at all.
  @Test func aRedirectWithoutTLS() async throws {
    let answer = answer
    let pinned = try ScriptedServer { _ in [.receiveRequest, .send(answer), .restart] }
    let moved = Wire.response(
      "", status: "307 Temporary Redirect", headers: ["Location: \(pinned.url(on: "localhost"))"])
    let first = try ScriptedServer { _ in [.receiveRequest, .send(moved), .restart] }
    defer {
      pinned.stop()
      first.stop()
    }
    let pin = try pin(authority.identity())
    let (error, events) = await asked(first.url(), try pins([pin], host: "localhost"))
    #expect(error?.kind == .invalidRequest(.insecurePinnedHost) && pinned.requests.isEmpty)
    #expect(events == [PinEvent(.noTLS, host: "localhost", expected: [pin], isRejected: true)])
  }

  @Test func aRedirectToAPinnedHost() async throws {
    let identity = try authority.identity(hosts: ["localhost"])
    let other = try server(identity)
    let target = try #require(URL(string: "https://localhost:\(other.port)/v1/things"))
    let (server, pin) = try redirecting(to: target)
    defer {
      server.stop()
      other.stop()
    }
    var both = try pins([pin])
    try both.pin("localhost", to: [try self.pin(identity)])
    let followed = await asked(server.url(), both)
    #expect(followed.error == nil && other.requests.count == 1)
    try both.pin("localhost", to: [pin])
    let refused = await asked(server.url(), both)
    #expect(refused.error?.kind == .pinMismatch(host: "localhost"))
    #expect(refused.events.map(\.host) == ["localhost"] && other.requests.count == 1)
  }

  /// Another key is told of, once for each connection, and the request goes on.
  @Test func reportOnly() async throws {
    let identity = try authority.identity()
    let server = try server(identity)
    defer { server.stop() }
    let (own, other) = (try pin(identity), try pin(authority.identity()))
    let events = Events()
    let transport = try CurlTransport.direct { options in
      options.trustRoots = .only(pem: authority.certificate)
      options.pins = try pins([other], mode: .reportOnly)
      options.pinObserver = { events.add($0) }
    }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true), transport: transport)
    for _ in 0..<3 { _ = try await client.request(Endpoint<[String]>.put("/x")) }
    let event = PinEvent(.mismatch, host: "127.0.0.1", presented: [own], expected: [other], isRejected: false)
    #expect(server.requests.count == 3 && server.connectionCount == 1)
    #expect(events.all == [event])
    let right = await asked(server.url(), try pins([other, own], mode: .reportOnly))
    #expect(right.error == nil && right.events.isEmpty)
    // None at all matches nothing, here too.
    let none = await asked(server.url(), try pins([], mode: .reportOnly))
    #expect(none.error == nil && none.events.map(\.presented) == [[own]])
  }

  @Test func modesByHost() throws {
    var all = try pins([], mode: .reportOnly, host: "*.example.org")
    try all.pin("api.example.org", to: [])
    #expect(all.mode(for: "www.example.org") == .reportOnly && all.mode(for: "api.example.org") == .enforced)
    #expect(all.mode(for: "example.com") == nil)
  }
}

extension ScriptedServer {
  /// By another name of this machine.
  fileprivate func url(on host: String) -> URL {
    var parts = URLComponents(url: url("/v1/things"), resolvingAgainstBaseURL: false)!
    parts.host = host
    return parts.url!
  }
}
