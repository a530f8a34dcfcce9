import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// A loopback server that speaks TLS, with certificates made on the fly.
@Suite struct SecureServerTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func client(_ server: LoopbackServer) -> HTTPClient {
    let pem = authority.certificate
    return HTTPClient(
      baseURL: server.url(), transport: CurlTransport.direct { $0.trustRoots = .only(pem: pem) })
  }

  @Test func requestsAndStreamsAreServed() async throws {
    let server = try LoopbackServer(identity: authority.identity())
    defer { server.stop() }
    server.route("/trips") { _ in .json(#"["Paris"]"#) }
    server.route("/lines") { _ in
      .stream(type: "text/plain") { writer in
        for number in 0..<1_000 { writer.write("\(number)\n") }
        writer.finish()
      }
    }
    let client = client(server)
    #expect(server.url().scheme == "https")
    #expect(try await client.request(Endpoint<[String]>.get("/trips")) == ["Paris"])
    let lines = try await client.response(to: Endpoint<Void>.get("/lines"))
    #expect(lines.body.count == 3_890 && lines.body.last == 0x0A)
    #expect(server.requests.map(\.path) == ["/trips", "/lines"])
  }

  @Test func whatAClientMustRefuse() async throws {
    let identities = [
      try TestCertificateAuthority(name: "Another").identity(), try authority.identity(hosts: ["example.org"]),
      try authority.identity(validFrom: .seconds(-7_200), validUntil: .seconds(-3_600)),
    ]
    for identity in identities {
      let server = try LoopbackServer(identity: identity)
      defer { server.stop() }
      server.route("/") { _ in .json("[]") }
      let client = client(server)
      let error = await failure { () async throws(HTTPError) in try await client.request(Endpoint<[String]>.get("/")) }
      #expect(error?.kind == .notSent(.untrustedCertificate))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func aKeyOfAnotherCertificate() throws {
    let certificate = LoopbackServer.Certificate(
      pem: try authority.identity().certificate, key: try authority.identity().key)
    #expect(throws: LoopbackServerError.notStarted) { try LoopbackServer(certificate: certificate) }
    let none = LoopbackServer.Certificate(pem: Data("none".utf8), key: Data())
    #expect(throws: LoopbackServerError.notStarted) { try LoopbackServer(certificate: none) }
  }
}
