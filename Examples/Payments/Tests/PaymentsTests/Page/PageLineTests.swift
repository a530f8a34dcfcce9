import Foundation
import LarderHTTP
import LarderTesting
import Testing

@testable import payments

/// The line to the bank.
@Suite struct PageLineTests {
  @Test func lineThatIsCutIsMendedAtItsAddress() async throws {
    let server = try FaultServer { _ in .status(204) }
    defer { server.stop() }
    let line = try Line(to: server.port)
    defer { line.cut() }
    let port = try #require(line.url.port)
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    let client = HTTPClient(
      baseURL: try #require(URL(string: "http://127.0.0.1:\(port)")), configuration: configuration)
    for _ in 0..<5 {
      try await client.request(Endpoint<Void>.get("/"))
      line.cut()
      #expect(line.isCut && line.connectivity.state == .down)
      // Also on the connection that there was.
      await #expect(throws: HTTPError.self) { try await client.request(Endpoint<Void>.get("/")) }
      line.cut()
      try line.mend()
      try line.mend()
      #expect(!line.isCut && line.connectivity.state == .up)
    }
    #expect(server.requests.count == 5)
    // Two relays at one port would be one too many.
    #expect(throws: LoopbackServerError.portInUse(UInt16(port))) {
      try FaultProxy(to: server.port, port: UInt16(port)) { _ in nil }
    }
  }
}
