import Foundation
import Larder
import LarderTesting
import Testing

/// The steps of Pinning.md, each run.
@Suite struct PinningArticleTests {
  @Test func pinsAreSet() async throws {
    let current = Data(repeating: 1, count: 32).base64EncodedString()
    let backup = Data(repeating: 2, count: 32).base64EncodedString()
    // snippet: pins
    var pins = KeyPins()
    let keys = Set(try [current, backup].map { try KeyPins.Pin(base64: $0) })
    try pins.pin("api.example.org", to: keys)
    try pins.pin("*.cdn.example.org", to: keys)

    var options = CurlTransport.Options()
    options.pins = pins
    let transport = CurlTransport(options: options)
    // snippet end
    #expect(options.pins.pins(for: "a.cdn.example.org")?.count == 2)
    transport.shutDown()
  }

  /// The commands print the pin of what is there, and of nothing none.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
  func pinsAreComputed() throws {
    let commands = Documents.blocks(
      "sh", in: try Documents.text("Sources/LarderHTTP/LarderHTTP.docc/Pinning.md"))
    try #require(commands.count == 2)
    let identity = try TestCertificateAuthority().identity()
    let server = try LoopbackServer(identity: identity)
    let folder = try TemporaryFolder()
    func shown(by host: String) throws -> KeyPins.Pin {
      let command = commands[0].replacing("api.example.org:443", with: host)
        .replacing("-servername api.example.org", with: "-servername localhost")
      return try KeyPins.Pin(base64: Shell.run(command, in: folder.url).trimmingCharacters(in: .newlines))
    }
    #expect(try shown(by: "127.0.0.1:\(server.port)").sha256 == identity.publicKeySHA256)
    server.stop()
    let closed = try ClosedPort()
    #expect(throws: Shell.Failed.self) { try shown(by: "127.0.0.1:\(try #require(closed.url.port))") }

    // Of a key that waits.
    #expect(throws: Shell.Failed.self) { try Shell.run(commands[1], in: folder.url) }
    _ = try Shell.run("openssl genpkey -algorithm ed25519 -out backup.pem", in: folder.url)
    let pin = try Shell.run(commands[1], in: folder.url)
    #expect(throws: Never.self) { try KeyPins.Pin(base64: pin.trimmingCharacters(in: .newlines)) }
  }

  @Test func anAuthorityOfOnesOwn() async throws {
    let own = try TestCertificateAuthority()
    let server = try LoopbackServer(identity: own.identity())
    defer { server.stop() }
    server.route("/v1/payments") { _ in .json("[]") }
    let folder = try TemporaryFolder()
    let authorityFile = folder.url.appending(path: "authority.pem")
    try own.certificate.write(to: authorityFile)
    var options = CurlTransport.Options()
    options.proxy = .none
    // snippet: own authority
    options.trustRoots = .only(pem: try Data(contentsOf: authorityFile))
    // snippet end
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    #expect(try await client.request(.payments(limit: 1)).isEmpty)
  }

  @Test func reportsAreMadeFirst() async throws {
    let authority = try TestCertificateAuthority()
    let identity = try authority.identity()
    let server = try LoopbackServer(identity: identity)
    defer { server.stop() }
    server.route("/v1/payments") { _ in .json("[]") }
    var options = CurlTransport.Options()
    options.proxy = .none
    options.trustRoots = .only(pem: authority.certificate)
    var pins = KeyPins()
    let keys: Set = [try KeyPins.Pin(sha256: Data(repeating: 1, count: 32))]
    let (events, told) = AsyncStream.makeStream(of: PinEvent.self)
    let host = "127.0.0.1"
    // snippet: report
    try pins.pin(host, to: keys, mode: .reportOnly)
    options.pins = pins
    options.pinObserver = { event in told.yield(event) }
    // snippet end
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    _ = try await client.request(.payments(limit: 1))
    told.finish()
    var shown: [PinEvent] = []
    for await event in events { shown.append(event) }
    #expect(shown.map(\.presented.first?.sha256) == [identity.publicKeySHA256] && shown.map(\.isRejected) == [false])
  }
}
