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
    let keys = Set([current, backup].compactMap { KeyPins.Pin(base64: $0) })
    pins.pin("api.example.org", to: keys)
    pins.pin("*.cdn.example.org", to: keys)

    var options = CurlTransport.Options()
    options.pins = pins
    let transport = CurlTransport(options: options)
    // snippet end
    #expect(options.pins.pins(for: "a.cdn.example.org")?.count == 2)
    transport.shutDown()
  }

  @Test func reportsAreMadeFirst() async throws {
    let authority = try TestAuthority()
    let identity = try authority.identity()
    let server = try LoopbackServer(identity: identity)
    defer { server.stop() }
    server.route("/v1/payments") { _ in .json("[]") }
    var options = CurlTransport.Options()
    options.proxy = .none
    options.authorities = .only(pem: authority.certificate)
    var pins = KeyPins()
    let keys = Set([Data(repeating: 1, count: 32)].compactMap { KeyPins.Pin(sha256: $0) })
    let (events, told) = AsyncStream.makeStream(of: PinEvent.self)
    let host = "127.0.0.1"
    // snippet: report
    pins.pin(host, to: keys, mode: .reportOnly)
    options.pins = pins
    options.pinObserver = { event in told.yield(event) }
    // snippet end
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    _ = try await client.request(.payments(limit: 1))
    told.finish()
    var shown: [PinEvent] = []
    for await event in events { shown.append(event) }
    #expect(shown.map(\.presented.first?.sha256) == [identity.publicKeySHA256] && shown.map(\.isRefused) == [false])
  }
}
